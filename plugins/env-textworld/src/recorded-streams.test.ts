// The streams of all six worlds as they were recorded when one contribution had them all. See fixtures/README.md.
import { readFileSync } from 'node:fs';

import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { digestStreams, type Digest } from './fixtures/digest-streams.js';
import { complete } from './fixtures/play.js';
import { recordedSettings } from './fixtures/recorded-settings.js';
import type { GameKind } from './options.js';
import { worldOf } from './textworld.js';

const recorded = JSON.parse(readFileSync(new URL('./fixtures/recorded-streams.json', import.meta.url), 'utf8')) as {
  readonly [kind in GameKind]: Readonly<Record<string, Digest>>;
};

describe.each(Object.keys(recorded) as GameKind[])('the recorded tasks, observations and plays of %s', (kind) => {
  it.each(Object.keys(recorded[kind]))('are the same today: %s', async (name) => {
    const given = recordedSettings[kind][name];
    expect(await digestStreams(worldOf(kind)(complete(kind, given), testHost()))).toEqual(recorded[kind][name]);
  });
});
