// Control groups of sandboxes. Few machines delegate one, so the long test boots a small machine that does: User Mode Linux
// (`apt-get install user-mode-linux`), with the files of this machine.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { eventOf, groupFolder } from '../../src/sandbox/control-group.js';
import { repository } from '../architecture/source-files.js';
import { isLong } from '../long.js';

describe('the group of a process', () => {
  const mount = (root: string, point: string, type = 'cgroup2') =>
    `32 25 0:27 ${root} ${point} rw,nosuid,nodev,noexec,relatime shared:9 - ${type} ${type} rw,nsdelegate\n`;

  it.each([
    ['of a system with version 2', '0::/user.slice/run-1.scope\n', mount('/', '/sys/fs/cgroup'), '/sys/fs/cgroup/user.slice/run-1.scope'],
    ['the root of a container', '0::/\n', mount('/', '/sys/fs/cgroup'), '/sys/fs/cgroup/'],
    ['beside version 1', '8:pids:/\n4:memory:/a\n0::/b\n', mount('/', '/sys/fs/cgroup/unified'), '/sys/fs/cgroup/unified/b'],
    ['in a part that is mounted', '0::/docker/1/agent\n', mount('/docker/1', '/sys/fs/cgroup'), '/sys/fs/cgroup/agent'],
    ['that is the part', '0::/docker/1\n', mount('/docker/1', '/sys/fs/cgroup'), '/sys/fs/cgroup'],
    ['outside of the part', '0::/docker/12\n', mount('/docker/1', '/sys/fs/cgroup'), undefined],
    ['without a mount', '0::/a\n', mount('/', '/sys/fs/cgroup/pids', 'cgroup'), undefined],
    ['of version 1 only', '8:pids:/\n', mount('/', '/sys/fs/cgroup'), undefined],
  ])('is found: %s', (_, groups, mounts, folder) => {
    const others = '22 1 8:1 / / rw,relatime - ext4 /dev/root rw\n';
    expect(groupFolder(groups, `${others}${mounts}${others}`)).toBe(folder);
  }); // prettier-ignore

  it('has events, which may be absent', () => {
    const events = 'low 0\nhigh 3\nmax 12\noom 2\noom_kill 1\noom_group_kill 7\n';
    expect(['oom_kill', 'max', 'none'].map((name) => eventOf(events, name))).toEqual([1, 12, 0]);
  });
});

interface Tried {
  readonly who: string;
  readonly delegated: { readonly folder?: string; readonly problem?: string };
  readonly open: number;
  readonly closed: number;
  readonly tried: {
    readonly [what: string]: { readonly code: number | null; readonly limit?: string; readonly said: string };
  };
}

const kernel = '/usr/bin/linux.uml';

// Goes red if a group is not entered, a limit is not written, its events are not read after the end of a program, or a group
// that was left behind stays.
it.skipIf(!isLong || !existsSync(kernel))(
  'limits memory and processes where a group is delegated',
  { timeout: 600_000 },
  async () => {
    const files = ['root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro'];
    const first = [
      `init=${join(repository, 'test/sandbox/machine.sh')}`,
      `REPOSITORY=${repository}`,
      `NODE=${process.execPath}`,
    ];
    const { stdout } = await promisify(execFile)(
      kernel,
      ['mem=1500M', ...files, ...first, 'con=null', 'con0=null,fd:1'],
      { maxBuffer: 2 ** 26, timeout: 580_000 },
    );
    const all = [...stdout.matchAll(/^TRIED (.*)\r?$/gm)].map(([, json]) => JSON.parse(json!) as Tried);
    expect(all.map(({ who, delegated }) => [who, delegated])).toEqual([
      ['root', { folder: '/sys/fs/cgroup/' }],
      ['user', { folder: '/sys/fs/cgroup/delegated' }],
      ['shared', { problem: 'processes that agentgym did not start are in /sys/fs/cgroup/shared' }],
    ]);
    for (const { closed, open, tried } of all.slice(0, 2)) {
      expect([open, closed]).toEqual([1, 0]);
      expect(tried).toEqual({
        memory: { code: null, limit: 'memory', said: expect.any(String) as string },
        disk: { code: 0, said: '25000000\n' },
        // What is written counts as memory, but has its own room.
        both: { code: 0, said: '25000000\n' },
        processes: { code: null, limit: 'processes', said: expect.any(String) as string },
        caught: { code: null, limit: 'processes', said: '' },
        few: { code: 0, said: 'done\n' },
        left: { code: 0, said: 'left\n' },
        alone: { code: 0, said: tried['alone']!.said },
      });
      expect(Number(tried['alone']!.said)).toBeLessThan(9);
    }
    expect(all[2]!.tried['few']).toEqual({ code: 0, said: 'done\n' });
    expect(all[2]!.tried['memory']!.limit).toBe('memory');
  },
);
