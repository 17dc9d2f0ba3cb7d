import { expect, it } from 'vitest';

import { jobKeyVariable, newJobKey, takeJobKey } from './job-key.js';

it('a key is taken out of the environment, and no two jobs have one', () => {
  const environment: { [name: string]: string | undefined } = { [jobKeyVariable]: newJobKey(), PATH: '/bin' };
  expect(takeJobKey(environment)).toMatch(/^[\w-]{43}$/);
  expect(environment).toEqual({ PATH: '/bin' });
  expect(takeJobKey(environment)).toBeUndefined();
  expect(newJobKey()).not.toBe(newJobKey());
});
