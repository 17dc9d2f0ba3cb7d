import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { readWholeFileSync } from '../files/read-whole-file.js';
import { inspectPackage, type Inspection } from '../plugins/inspect-package.js';
import { readBuiltGraph, type BuiltGraph } from './built-imports.js';

/** The input of the package checks. */
export interface PackageContext {
  readonly root: string;
  readonly hostVersion: string;
  /** Its package.json. */
  readonly json: { readonly [key: string]: unknown };
  readonly inspection: Inspection;
  /** Absolute path of the entry, if the package names an existing file inside itself. */
  readonly entry: string | undefined;
  /** The files that the entry imports, and their imports. */
  graph(): BuiltGraph;
}

/** Reads package.json. Throws if it is missing or invalid. */
export function openPackage(root: string, hostVersion: string): PackageContext {
  const file = join(root, 'package.json');
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  const json: unknown = JSON.parse(readWholeFileSync(file).toString());
  const inspection = inspectPackage(root, json, hostVersion);
  const [fault] = inspection.faults;
  if (fault?.kind === 'package-json') throw new Error(fault.message);
  let graph: BuiltGraph | undefined;
  return {
    root,
    hostVersion,
    json: json as PackageContext['json'],
    inspection,
    entry: inspection.entry,
    graph() {
      if (this.entry === undefined) throw new Error('there is no entry');
      return (graph ??= readBuiltGraph(this.entry));
    },
  };
}
