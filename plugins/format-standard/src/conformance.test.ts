import type { FormatModule } from '@agentgym/cli';
import { formatKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import contributions from './index.js';

// The kit checks speed on megabytes for each format; the variants with sections share its readers.
for (const contribution of contributions) {
  const module = (await contribution.load()) as unknown as FormatModule<Record<string, unknown>>;
  const options: Record<string, unknown> = optionDefaults(contribution.options);
  describe(contribution.name, () => formatKit.describe(it, { ...module, options }));
  describe(`${contribution.name} with plan-and-reflect`, () =>
    formatKit.describe(
      it,
      { ...module, options: { ...options, thought: 'plan-and-reflect', onMalformed: 'explain' } },
      { texts: 100, accept: ['swift'] },
    ));
}
