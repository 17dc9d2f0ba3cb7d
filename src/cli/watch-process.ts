import type { EnvironmentPhase } from '../contracts/environment.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { watchMainThread } from '../processes/watch-main-thread.js';
import type { CallMarks } from '../rollout/local-world.js';
import { failProcess } from './guard-process.js';

/** If a call holds the main thread longer than this, it is named, and Ctrl-C ends the process directly. */
const seconds = 2;

let watch: ReturnType<typeof watchMainThread> | undefined;

/**
 * Marks calls of a plugin that hold the main thread. If one exceeds its time limit, the process ends with exit code 2,
 * because nothing else can stop the call.
 *
 * @param title the plugin of the calls: environment `die` (plugin-die 1.0.0)
 */
export function markCalls(title: string, milliseconds: { readonly [phase in EnvironmentPhase]: number }): CallMarks {
  const watching = (watch ??= watchMainThread({
    seconds,
    say: (call, held) =>
      call === undefined
        ? `The main thread has been busy for ${held} s`
        : `${call.plugin} has blocked the main thread for ${held} s in ${call.phase}`,
    released:
      'Ctrl-C now ends the process at once. Written files stay, and `agentgym train --resume RUN` continues exactly.',
    stuck: 'It cannot be interrupted: end the process with `kill -9`. Written files stay.',
    giveUp: (call, place) => failProcess(hanging(call, place)),
  }));
  const ids = new Map<EnvironmentPhase, number>();
  const idOf = (phase: EnvironmentPhase): number => {
    const known = ids.get(phase);
    if (known !== undefined) return known;
    const limit = milliseconds[phase] / 1000;
    const id = watching.name({ plugin: title, phase }, Number.isFinite(limit) ? limit : undefined);
    ids.set(phase, id);
    return id;
  };
  return { enter: (phase) => watching.enter(idOf(phase)), leave: (before) => watching.leave(before) };
}

function hanging({ plugin, phase }: { plugin: string; phase: string }, place: string | undefined): AgentgymError {
  return new AgentgymError('AG_PLUGIN_HANGS', {
    message: `${plugin} blocks the main thread in ${phase} for longer than its deadline${place === undefined ? '' : `, at ${place}`}.`,
  });
}
