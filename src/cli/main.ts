import { Command, Errors, run, ux } from '@oclif/core';

import { AgentgymError } from '../errors/agentgym-error.js';
import { unansweredCalls } from '../plugins/call-plugin.js';
import { printable } from '../reporting/terminal-style.js';
import { describeFailure, failureLines, type Failure } from './describe-failure.js';
import { leaveProcess, ownProcess, releaseProcess, uncaughtFailure, printDocument } from './guard-process.js';
import { reportMissingPlugins } from './report-missing-plugins.js';

/** Commands by which a plugin that breaks others is found and removed: what one throws does not end them. */
const lookers = ['doctor', 'list', 'plugins'];

/** How Node ends a process that waits for what never comes. */
const UNSETTLED = 13;

/**
 * Runs the command line and gives the exit code: 0 ok; 1 a check did not hold; 2 the user's error; 70 ours; 130
 * interrupted and resumable. Under `--json` standard output is one document, also on failure.
 *
 * @param entry URL or path of a file of the CLI's package
 */
export async function main(argv: readonly string[], entry: string): Promise<number> {
  ignoreClosedPipes();
  leaveErrorsToMain();
  reportMissingPlugins();
  const uncaught = uncaughtFailure((error) => {
    if (!lookers.includes(argv[0] ?? '')) return false;
    process.stderr.write(`${printable(error.message)}\n`);
    return true;
  });
  const tell = (failure: Failure) => {
    if (asksForJson(argv)) printDocument({ formatVersion: 1, error: failure.error });
    process.stderr.write(`${printable(failureLines(failure).join('\n'))}\n`);
    return failure.exitCode;
  };
  ownProcess((error) => tell(describeFailure(error)));
  process.once('exit', () => {
    // The listener's own argument was taken before Node set this.
    if (process.exitCode !== UNSETTLED) return;
    const [call = 'something', ...others] = unansweredCalls();
    const message = `${[call, ...others].join(', ')}, but nothing is left to wait for`;
    leaveProcess(tell(describeFailure(new AgentgymError('AG_PLUGIN_FAILED', { message }))));
  });
  try {
    await Promise.race([run([...argv], entry), uncaught]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof Errors.ExitError) return error.oclif.exit ?? 0;
    return tell(describeFailure(error));
  } finally {
    releaseProcess();
    await written(process.stdout);
  }
}

/**
 * Commands of other packages (`plugins`, `version`) inherit oclif's `catch`, which under `--json` prints a document of
 * its own and ends with 1. BaseCommand overrides it; here it is replaced for everybody else.
 */
function leaveErrorsToMain(): void {
  const prototype = Command.prototype as unknown as { catch(this: Command, error: Error): Promise<never> };
  prototype.catch = function (error) {
    ux.action.stop('failed');
    return Promise.reject(Object.assign(error, { command: this.id, foreign: true }));
  };
}

/** Resolves once everything is written, or nobody listens any more. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

/**
 * `agentgym list | head -1` closes the pipe during writing, as does closing a terminal. This is not an error, and
 * training continues.
 */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
}
