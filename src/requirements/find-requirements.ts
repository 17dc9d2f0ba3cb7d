// Finds what environments need besides npm packages.
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import semver from 'semver';

import type {
  FileRequirement,
  FoundRequirement,
  ProgramRequirement,
  PythonRequirement,
  Requirement,
} from '../contracts/requirement.js';
import { messageOf } from '../errors/message-of.js';
import { findProgram } from '../processes/find-program.js';
import { runProgram } from '../processes/run-program.js';
import { fileSha256 } from '../transfers/file-hash.js';
import { askPython } from './ask-python.js';

/** What became of a requirement. */
export type RequirementFinding =
  | { readonly requirement: Requirement; readonly found: FoundRequirement }
  | {
      readonly requirement: Requirement;
      /** What is missing or wrong, as a clause. */
      readonly problem: string;
    };

/** Looks for each requirement. Rejects only if the signal is aborted. */
export function findRequirements(
  requirements: readonly Requirement[],
  signal: AbortSignal,
): Promise<readonly RequirementFinding[]> {
  return Promise.all(
    requirements.map(async (requirement): Promise<RequirementFinding> => {
      try {
        return { requirement, found: await find(requirement, signal) };
      } catch (error) {
        signal.throwIfAborted();
        return { requirement, problem: messageOf(error) };
      }
    }),
  );
}

function find(requirement: Requirement, signal: AbortSignal): Promise<FoundRequirement> {
  if (requirement.kind === 'program') return findTool(requirement, signal);
  return requirement.kind === 'python' ? findPython(requirement, signal) : findFile(requirement);
}

async function findTool(
  { name, programs, variable, version }: ProgramRequirement,
  signal: AbortSignal,
): Promise<FoundRequirement> {
  const path = await locate(programs, variable);
  const told = version === undefined ? undefined : await versionOf(path, version.arguments, signal);
  if (version !== undefined) refuseVersion(path, told, version.range);
  return { name, path, ...(told !== undefined && { version: told }), sha256: await fileSha256(path) };
}

async function findPython(
  { interpreter, name, packages = {}, version: range = '*' }: PythonRequirement,
  signal: AbortSignal,
): Promise<FoundRequirement> {
  // An interpreter of a virtual environment is a link, and finds its packages by where the link is.
  const path = await (interpreter === undefined
    ? locate(['python3', 'python'], 'AGENTGYM_PYTHON', false)
    : locate([interpreter], undefined, false));
  const { version, packages: installed } = await askPython(path, Object.keys(packages), signal);
  refuseVersion(path, version, range);
  for (const [wanted, wantedRange] of Object.entries(packages)) {
    const there = installed[wanted];
    if (there === undefined) throw new Error(`${path} has no package ${wanted}`);
    refuseVersion(`the package ${wanted} of ${path}`, there.version, wantedRange);
  }
  return { name, path, version, sha256: await fileSha256(await realpath(path)), packages: installed };
}

async function findFile({ name, path: given, sha256: wanted }: FileRequirement): Promise<FoundRequirement> {
  const path = resolve(given);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new Error(`there is no file ${path}`);
  if (!found.isFile()) throw new Error(`${path} is not a file`);
  const sha256 = await fileSha256(path);
  if (wanted !== undefined && sha256 !== wanted.toLowerCase()) {
    throw new Error(`${path} has the SHA-256 ${sha256}, not ${wanted}`);
  }
  return { name, path: await realpath(path), sha256 };
}

/** The file of a program: the one that the variable names, or the first on the PATH. */
async function locate(programs: readonly string[], variable: string | undefined, follows = true): Promise<string> {
  const named = variable === undefined ? undefined : process.env[variable];
  let problem: unknown;
  for (const program of named ? [named] : programs) {
    try {
      const path = await findProgram(program, {});
      return follows ? await realpath(path) : path;
    } catch (error) {
      problem ??= error;
    }
  }
  const others = named || programs.length < 2 ? '' : ` (nor ${programs.slice(1).join(', ')})`;
  throw new Error(`${named ? `${variable} is set, and ` : ''}${messageOf(problem)}${others}`);
}

/** The first number with dots that the program prints. */
async function versionOf(path: string, words: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const { stdout, stderr } = await runProgram(path, words, { signal, failure: (message) => new Error(message) });
  return /\d+(\.\d+)*/.exec(`${stdout}\n${stderr}`)?.[0];
}

function refuseVersion(whose: string, version: string | undefined, range: string): void {
  if (range === '*') return;
  const told = version === undefined ? null : semver.coerce(version);
  if (told === null) throw new Error(`${whose} does not tell its version; ${range} is needed`);
  if (!semver.satisfies(told, range)) throw new Error(`${whose} is ${version}; ${range} is needed`);
}
