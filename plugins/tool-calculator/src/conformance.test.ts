import { toolKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import * as calculator from './calculator.js';
import { options } from './options.js';

const calls = ['1/0', 'ans', 'ans + 1', '1 +', 'sqrt(-1)', '9^9^9'].map((text) => `<calculator>${text}</calculator>`);

describe('calculator', () => toolKit.describe(it, { ...calculator, options: optionDefaults(options) }, { calls }));
