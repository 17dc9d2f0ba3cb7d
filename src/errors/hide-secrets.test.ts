import { describe, expect, it } from 'vitest';

import { hideSecrets, secretsOf } from './hide-secrets.js';

describe('hideSecrets', () => {
  it.each([
    ['http://me:pass@host/x.tgz', 'http://***@host/x.tgz'],
    ['https://token@github.com/a/b.git#v1', 'https://***@github.com/a/b.git#v1'],
    ['git+https://me:pass@host/a.git#semver:^1', 'git+https://***@host/a.git#semver:^1'],
    ['git+ssh://git@host/a.git', 'git+ssh://git@host/a.git'],
    ['ssh://me:pass@host/a.git', 'ssh://me:***@host/a.git'],
    ['git@host:a/b.git', 'git@host:a/b.git'],
    ['me:pass@host/x', '***@host/x'],
    ['me:pass@host:8080', '***@host:8080'],
    ['http:/me:pass@host/x', 'http:/***@host/x'],
    ['/folder/http:/me:pass@host:9/x', '/folder/http:/***@host:9/x'],
    ['http://me:p@ss@host/x', 'http://***@host/x'],
    ['http://me:pa/ss@host/x', 'http://***@host/x'],
    ['http://me:pa?ss#x@host/x', 'http://***@host/x'],
    ['http://me:pass@host/@scope/x.tgz', 'http://***@host/@scope/x.tgz'],
    ['http://me:1234@host/x', 'http://***@host/x'],
    ['http://host:4873/@scope%2fx', 'http://host:4873/@scope%2fx'],
    ['http://host:4873', 'http://host:4873'],
    ['https://host/x.tgz?sig=abc&se=1', 'https://host/x.tgz?sig=***&se=***'],
    ['https://host/x.tgz?abcdef', 'https://host/x.tgz?***'],
    ['https://host/x.tgz?a=b?c=d#v1', 'https://host/x.tgz?a=***#v1'],
    ['https://host/x#access_token=abc', 'https://host/x#access_token=***'],
    ['HTTPS://me:pass@HOST/', 'HTTPS://***@HOST/'],
    ['file:///a/b?x', 'file:///a/b?***'],
    ['"http://a:b@c/" and (http://d:e@f/?g=h)', '"http://***@c/" and (http://***@f/?g=***'],
    ['//host/:_authToken=abc-def', '//host/:_authToken=***'],
    ['_auth = "YTpi"', '_auth = "***"'],
    ['token npm_0123456789abcdefABCDEF was refused', 'token *** was refused'],
    [
      'the package foo@npm:bar@1 and @scope/a@1.0.0 of a@b.org',
      'the package foo@npm:bar@1 and @scope/a@1.0.0 of a@b.org',
    ],
    ['Is it http://host? Yes: 10:30', 'Is it http://host? Yes: 10:30'],
  ])('%s is shown as %s', (text, shown) => {
    expect(hideSecrets(text)).toBe(shown);
    expect(hideSecrets(shown)).toBe(shown);
  });

  it('takes time in proportion to the length of a text', () => {
    const begun = performance.now();
    for (const sign of ['a', ':', '@', 'a:', 'http://', 'a@', '_auth=']) hideSecrets(sign.repeat(200_000));
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});

describe('secretsOf', () => {
  it.each([
    ['http://me:p%40ss@host/x', ['p%40ss', 'p@ss', btoa('me:p%40ss'), btoa('me:p@ss')]],
    ['https://token@host/', ['token']],
    ['git+ssh://git@host/a.git', []],
    ['https://host/x?sig=0123456789&v=1#v1', ['0123456789']],
    ['env-babyai', []],
  ])('of %s', (address, secrets) => {
    expect(secretsOf(address)).toEqual(secrets);
  });

  it('are hidden in what a server says', () => {
    const address = 'http://me:p%40ss@host/x';
    expect(hideSecrets('no p@ss, no p%40ss', secretsOf(address))).toBe('no ***, no ***');
  });
});
