import { AgentgymError } from '../errors/agentgym-error.js';
import { leaveProcess } from './guard-process.js';

let controller: AbortController | undefined;

/**
 * One signal for the process: the first Ctrl-C or SIGTERM aborts it with AG_INTERRUPTED, so that work can be saved; the second ends the
 * process at once. `said`: what the user is told at the first.
 */
export function interruptSignal(said = 'Interrupted: saving what is done; once more to stop at once.'): AbortSignal {
  if (controller === undefined) {
    const made = (controller = new AbortController());
    const interrupt = (name: NodeJS.Signals) => {
      if (made.signal.aborted) leaveProcess(130);
      process.stderr.write(`\n${said}\n`);
      made.abort(new AgentgymError('AG_INTERRUPTED', { message: `interrupted by ${name}` }));
    };
    process.on('SIGINT', interrupt);
    process.on('SIGTERM', interrupt);
    abortWithParent(made);
  }
  return controller.signal;
}

/** A process that works for another one ends with it, however that ended. */
function abortWithParent(controller: AbortController): void {
  if (process.channel === undefined || process.channel === null) return;
  // The channel alone keeps nothing alive.
  process.channel.unref();
  process.once('disconnect', () => {
    controller.abort(new AgentgymError('AG_INTERRUPTED', { message: 'the process that this one works for has ended' }));
  });
}
