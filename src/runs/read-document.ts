import * as v from 'valibot';

import { typeProblem } from '../config/check-structure.js';
import { isKeyMap } from '../config/recipe-layer.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { reasonOf } from '../errors/message-of.js';
import { longestLog, readTextFile } from '../files/read-whole-file.js';

/** A document in the folder of a run or an ablation. */
export interface DocumentKind<Schema> {
  /** The parts that code uses without further checks. */
  readonly schema: Schema;
  /** The words after "FILE is not": "the result of a run". */
  readonly name: string;
  readonly code: ErrorCode;
  readonly hint: string;
}

/**
 * Reads a document that agentgym wrote, and that somebody may have changed since.
 *
 * @throws AgentgymError with the code of the kind, which names the file and what is wrong with it
 */
export async function readDocument<Schema extends v.GenericSchema>(
  file: string,
  { code, hint, name, schema }: DocumentKind<Schema>,
): Promise<v.InferOutput<Schema>> {
  let problem: string | undefined;
  let cause: unknown;
  try {
    const document: unknown = JSON.parse(await readTextFile(file, longestLog));
    problem = documentProblem(schema, document);
    if (problem === undefined) return document;
  } catch (error) {
    problem = reasonOf(error);
    cause = error;
  }
  throw new AgentgymError(code, { message: `${file} is not ${name}: ${problem}.`, hint, file, cause });
}

/** What a document lacks: "it is null, not a map of keys"; undefined if nothing. */
export function documentProblem(schema: v.GenericSchema, document: unknown): string | undefined {
  if (!isKeyMap(document)) return `it is ${document === null ? 'empty' : JSON.stringify(document)}, not a map of keys`;
  const problem = typeProblem(schema, document);
  if (problem !== undefined) return problem;
  const [issue] = v.safeParse(schema, document).issues ?? [];
  return issue && `\`${v.getDotPath(issue)}\` is out of bounds`;
}
