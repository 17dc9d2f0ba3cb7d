import { describe, expect, it } from 'vitest';

import { options, tasksWithRooms, validate, type Options } from './options.js';
import { plain } from './fixtures/play.js';

const findings = (given: Partial<Options>) => validate({ ...plain, ...given }).filter(({ idle }) => idle !== true);

describe('the options', () => {
  it('are right by default, and those of files then have no effect', () => {
    expect(findings({})).toEqual([]);
    expect(validate(plain).map(({ path }) => path)).toEqual([['games']]);
    expect(validate({ ...plain, game: 'files', games: 'folder' }).map(({ path }) => path)).toEqual([
      ['rooms'],
      ['receptacles'],
      ['objects'],
      ['scenes'],
    ]);
  });

  it.each<[Partial<Options>, string, string, string]>([
    [{ tasks: [] }, 'tasks', 'tasks names nothing, so there is no task', 'Write tasks: [pick_and_place_simple]'],
    [
      { tasks: ['cook'] },
      'tasks',
      'there is no "cook" among the tasks',
      'or some of pick_and_place_simple, look_at_obj_in_light',
    ],
    [{ rooms: ['garage', 'kitchen'] }, 'rooms', 'there is no "garage" among the rooms', 'Write rooms: [kitchen]'],
    [
      { tasks: ['look_at_obj_in_light'], rooms: ['kitchen', 'bathroom'] },
      'tasks',
      'none of the tasks look_at_obj_in_light happens in kitchen or bathroom',
      'Write rooms: [livingroom, bedroom].',
    ],
    [{ game: 'files' }, 'games', 'game: files needs a folder', 'Write games: FOLDER.'],
    [{ game: 'files', games: '' }, 'games', 'game: files needs a folder', 'Write games: FOLDER.'],
  ])('%j are refused', (given, path, message, hint) => {
    const [finding, ...others] = findings(given);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ path: [path], message });
    expect(finding!.hint).toContain(hint);
  });

  it('give tasks the rooms where they happen', () => {
    expect(
      tasksWithRooms({
        tasks: ['pick_heat_then_place_in_recep', 'look_at_obj_in_light', 'pick_and_place_simple'],
        rooms: ['bathroom', 'bedroom'],
      }),
    ).toEqual([
      { kind: 'pick_and_place_simple', rooms: ['bedroom', 'bathroom'] },
      { kind: 'look_at_obj_in_light', rooms: ['bedroom'] },
    ]);
  });

  it('have axes of complexity', () => {
    const axes = Object.entries(options).filter(([, option]) => 'axis' in option);
    expect(axes.map(([name]) => name)).toEqual(['tasks', 'receptacles', 'objects']);
  });
});
