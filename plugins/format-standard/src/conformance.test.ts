import { describeActionFormat, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { plainOptions } from './options.js';
import * as plain from './plain.js';

describe('plain', () => describeActionFormat(it, { ...plain, options: optionDefaults(plainOptions) }));
