import { Command, Errors, run, ux } from '@oclif/core';

import { AgentgymError } from '../errors/agentgym-error.js';
import { unansweredCalls } from '../plugins/call-plugin.js';
import { printable } from '../reporting/terminal-style.js';
import { describeFailure, failureLines, type Failure } from './describe-failure.js';
import { leaveProcess, ownProcess, releaseProcess, uncaughtFailure, printDocument } from './guard-process.js';
import { reportMissingPlugins } from './report-missing-plugins.js';

/** Commands that help to find and remove a broken plugin, so an error of a plugin does not end them. */
const lookers = ['doctor', 'list', 'plugins'];

/** Node's exit code if the process waits for a promise that never settles. */
const UNSETTLED = 13;

/**
 * Runs the command line and returns the exit code: 0 ok; 1 a check or a run of an ablation failed; 2 user error; 70 defect of agentgym; 130
 * interrupted and resumable. Under `--json` standard output is one document, even after a failure.
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
    // The listener's argument was evaluated before Node set this exit code.
    if (process.exitCode !== UNSETTLED) return;
    leaveProcess(tell(describeFailure(neverAnswered(unansweredCalls()))));
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

/** The error of a process that waits while nothing in it runs any more. Without a plugin's call, agentgym is at fault. */
function neverAnswered(calls: readonly string[]): Error {
  if (calls.length === 0) return new Error('agentgym waits for an answer, and nothing is running that could give it');
  return new AgentgymError('AG_PLUGIN_FAILED', {
    message: `${calls.join(', ')}, and nothing is running that could give it`,
  });
}

/**
 * Commands of other packages (`plugins`, `version`) inherit oclif's `catch`. Under `--json` that prints a separate
 * document and ends with 1. BaseCommand overrides it; this function replaces it for all other commands.
 */
function leaveErrorsToMain(): void {
  const prototype = Command.prototype as unknown as { catch(this: Command, error: Error): Promise<never> };
  prototype.catch = function (error) {
    ux.action.stop('failed');
    return Promise.reject(Object.assign(error, { command: this.id, foreign: true }));
  };
}

/** Resolves once everything is written, or if nobody reads the stream any more. */
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
