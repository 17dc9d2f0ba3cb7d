import { describeTextPlayer, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options } from './options.js';
import { create } from './text-player.js';

describe('the kit of players', () => {
  describeTextPlayer(it, { create, options: { ...optionDefaults(options), retries: 1 } });
});
