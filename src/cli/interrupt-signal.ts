import { readFileSync } from 'node:fs';

import { AgentgymError } from '../errors/agentgym-error.js';
import { leaveProcess } from './guard-process.js';

let controller: AbortController | undefined;

/**
 * One signal for the process. The first Ctrl-C, SIGTERM or SIGHUP aborts it with AG_INTERRUPTED, so that work can be
 * saved; the second ends the process immediately. `said` is the message to the user at the first.
 */
export function interruptSignal(said = 'Interrupted: saving. Interrupt again to stop at once.'): AbortSignal {
  if (controller === undefined) {
    const made = (controller = new AbortController());
    const interrupt = (name: NodeJS.Signals) => {
      if (made.signal.aborted) leaveProcess(130);
      process.stderr.write(`\n${said}\n`);
      made.abort(new AgentgymError('AG_INTERRUPTED', { message: `interrupted by ${name}` }));
    };
    process.on('SIGINT', interrupt);
    process.on('SIGTERM', interrupt);
    if (!ignoresHangUp()) process.on('SIGHUP', interrupt);
    abortWithParent(made);
  }
  return controller.signal;
}

/** Under `nohup`, a closing terminal must not end the process; a listener for the signal would undo that. */
function ignoresHangUp(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return ignored !== undefined && (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    // If this is unknown, a process without a terminal is meant to survive it.
    return process.stdin.isTTY !== true;
  }
}

/** A child process is aborted when its parent ends for any reason. */
function abortWithParent(controller: AbortController): void {
  if (process.channel === undefined || process.channel === null) return;
  // An open channel alone must not keep the process alive.
  process.channel.unref();
  process.once('disconnect', () => {
    controller.abort(new AgentgymError('AG_INTERRUPTED', { message: 'the parent process has ended' }));
  });
}
