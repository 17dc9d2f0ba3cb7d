import { interrupted, type TrainOutcome } from '../runner.js';
import type { RayJob } from './ray-client.js';

/** How a job ended: with the outcome of its run, or without, so that another job is needed. */
export type Ended = { readonly outcome: TrainOutcome } | { readonly lost: string };

export function hasEnded({ status }: RayJob): boolean {
  return status !== 'PENDING' && status !== 'RUNNING';
}

/** The end of a job that told no outcome. */
export function endOf(job: RayJob | undefined): Ended {
  if (job === undefined) return { lost: 'the head has no record of it any more' };
  // Somebody wanted it to end: a node that is lost fails.
  if (job.status === 'STOPPED') return { outcome: interrupted };
  return { lost: whyLost(job) };
}

function whyLost({ status, message, driver_exit_code: code }: RayJob): string {
  // Shells answer so if they do not find or cannot start a command.
  if (code === 126 || code === 127) {
    return 'the nodes have no command agentgym; install @agentgym/cli there, or name the command with `--runner-option command=`';
  }
  if (status === 'SUCCEEDED') {
    return 'it ended without an outcome; the nodes may have another version of agentgym, or their output was not kept';
  }
  const last = typeof message === 'string' ? (message.trim().split('\n').at(-1) ?? '') : '';
  return `${String(status).slice(0, 300)}${last === '' ? '' : `: ${last.slice(0, 300)}`}`;
}
