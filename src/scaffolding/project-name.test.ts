import { describe, expect, it } from 'vitest';

import { nameOfFolder, parseProjectName } from './project-name.js';
import { findTemplate } from './template.js';

const parse = (name: string, template = 'environment') => parseProjectName(name, findTemplate(template));

describe('names', () => {
  it.each([
    ['env-mine', 'environment', 'mine'],
    ['mine', 'environment', 'mine'],
    ['@me/env-mine', 'environment', 'mine'],
    ['@me/plugin-env-mine', 'environment', 'mine'],
    ['agentgym-plugin-env-mine', 'environment', 'mine'],
    ['env-2048', 'environment', '2048'],
    ['my_env.v2', 'environment', 'my-env-v2'],
    ['env-mine', 'reward', 'env-mine'],
    ['algo-mine', 'algorithm', 'mine'],
    ['policy-mine', 'policy', 'mine'],
    ['my-project', 'project', 'my-project'],
  ])('%s of the template %s is called %s in recipes', (name, template, expected) => {
    expect(parse(name, template)).toEqual({ packageName: name, name: expected });
  });

  it.each([
    ['', 'empty'],
    ['Env-Mine', 'capital'],
    ['env mine', 'small letters'],
    ['../env', 'small letters'],
    ['.env', 'start with'],
    ['_env', 'start with'],
    ['@/x', 'small letters'],
    ['@a/b/c', 'small letters'],
    ['env\u00e9', 'small letters'],
    ['-x', 'start with'],
    ['node_modules', 'reserves it'],
    ['fs', 'reserves it'],
    ['env-', 'no characters'],
    ['a'.repeat(215), '214'],
    ['env-' + 'a'.repeat(49), '48'],
  ])('refuses %j', (name, reason) => {
    expect(() => parse(name)).toThrow(
      expect.objectContaining({ code: 'AG_INIT_NAME', message: expect.stringContaining(reason) }),
    );
  });

  it('suggests a name that it would take', () => {
    for (const name of ['Env Mine', '', '\u00e9', 'fs', '../..']) {
      try {
        parse(name);
        expect.unreachable();
      } catch (error) {
        const [, suggested] = /--name ([^`]+)`/.exec((error as { hint: string }).hint) ?? [];
        expect(parse(suggested!).packageName).toBe(suggested);
      }
    }
  });

  it('makes names of folders where that can be', () => {
    expect(nameOfFolder('My Experiments (2)')).toBe('my-experiments-2');
    expect(nameOfFolder('env-mine')).toBe('env-mine');
    expect(nameOfFolder('\u5b9f\u9a13')).toBeUndefined();
  });
});
