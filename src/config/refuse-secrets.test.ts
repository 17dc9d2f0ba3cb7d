import { expect, it } from 'vitest';

import { Complaints } from './complaints.js';
import { refuseSecrets } from './refuse-secrets.js';

/** The paths at which a recipe is refused. */
function refused(recipe: object, before: readonly string[] = []): (string | undefined)[] {
  const complaints = new Complaints(() => undefined);
  for (const name of before) complaints.add('AG_RECIPE_INVALID', [name], 'wrong', 'Change it.');
  refuseSecrets(recipe, complaints);
  expect(JSON.stringify(complaints.findings)).not.toContain('PASSWORD');
  return complaints.findings.map(({ path }) => path);
}

it('finds addresses with a secret wherever a plugin takes them', () => {
  const options = {
    url: 'http://me:PASSWORD@host/v1',
    list: ['x', 'https://PASSWORD@host'],
    inner: { a: 'see http://:PASSWORD@h' },
  };
  expect(
    refused({ environment: { options }, reward: { terms: [{ options: { at: 'ws://h?api_key=PASSWORD' } }] } }),
  ).toEqual([
    'environment.options.url',
    'environment.options.list[1]',
    'environment.options.inner.a',
    'reward.terms[0].options.at',
  ]);
});

it('complains once about an address', () => {
  expect(refused({ url: 'http://me:PASSWORD@host' }, ['url'])).toEqual(['url']);
});

it.each([
  'http://127.0.0.1:8000/v1?api-version=2024-02-01',
  'http://[::1]:80/',
  'git+ssh://git@host/x.git',
  'file:///home/me@here/model',
  './models/a@b:c',
  'Write to me@host: it is free',
  'org/model',
])('accepts %s', (text) => {
  expect(refused({ policy: { options: { text } } })).toEqual([]);
});
