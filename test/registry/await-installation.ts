// Runs before each test file that uses the registry: waits until the host is installed. Other tests do not wait.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { inject } from 'vitest';

const { outcome } = inject('installed');
while (!existsSync(outcome) || readFileSync(outcome, 'utf8') === '') await sleep(200);
const { error } = JSON.parse(readFileSync(outcome, 'utf8')) as { readonly error?: string };
if (error !== undefined) throw new Error(`the host could not be installed from the registry of the tests: ${error}`);
