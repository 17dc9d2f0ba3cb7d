import { optionDefaults } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { options, validate } from './options.js';

const problems = (url: string) => validate({ ...optionDefaults(options), url }).map(({ message }) => message);

it('takes the address of a server', () => {
  expect(problems('https://example.org/tinker')).toEqual([]);
  expect(validate(optionDefaults(options))).toEqual([]);
});

it('refuses an address with a secret without repeating it', () => {
  for (const url of ['http://me:secret@host', 'http://host?key=secret']) {
    expect(problems(url)).toEqual(['the address has a name, a password or a query']);
    expect(JSON.stringify(validate({ ...optionDefaults(options), url }))).not.toContain('secret');
  }
  expect(problems('localhost')).toEqual(['the address is not a URL']);
});
