import { createRandom } from '../random/create-random.js';
import { creating, Kit } from './conformance-kit.js';
import { readerContext } from './reader-checks.js';
import { testEnvironmentHost } from './test-host.js';
import { badReading, toolChecks } from './tool-checks/tool-checks.js';
import type { ToolCheckContext, ToolCheckSettings, ToolSubject } from './tool-checks/tool-context.js';

/** Checks a tool against its contract. */
export const toolKit = new Kit<ToolSubject, ToolCheckSettings, ToolCheckContext>({
  checks: toolChecks,
  prepare: async (subject, settings, atEnd) => {
    const random = createRandom(settings.seed ?? 0);
    const create = creating('tool', atEnd, () => subject.create(subject.options as never, testEnvironmentHost()));
    const tool = await create();
    const calls = [tool.example, ...(settings.calls ?? [])];
    const reader = {
      read: (text: string) => tool.parse(text),
      complain: (text: string) => {
        const reading = tool.parse(text);
        return reading && badReading(reading);
      },
      known: calls,
      pieces: [tool.example, `${tool.example.split(/\w/u)[0] ?? ''} `],
    };
    return {
      tool,
      create,
      external: subject.contribution?.external ?? false,
      calls,
      random,
      secondsPerCall: settings.secondsPerCall ?? 10,
      ...readerContext(reader, random, settings),
    };
  },
});
