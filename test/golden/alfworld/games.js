// Plays the commands of a recording in the built plugin and compares each step.
import { readGame } from '../../../plugins/env-alfworld/dist/game/game.js';
import { Session } from '../../../plugins/env-alfworld/dist/game/session.js';
import { checkPlayable } from '../../../plugins/env-alfworld/dist/game/playable.js';

const longestShown = 300;
/** What the recorded games have in their grammar instead of a goal. */
const placeholder = 'Your task is to: UNKNOWN GOAL.';

function shorten(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}...` : text;
}

/** Where two texts differ, with a little before it. */
function shownFrom(theirs, ours) {
  let place = 0;
  while (place < theirs.length && theirs[place] === ours[place]) place += 1;
  const start = Math.max(0, place - 60);
  const cut = (text) => shorten((start > 0 ? '...' : '') + text.slice(start));
  return { theirs: cut(theirs), ours: cut(ours) };
}

function differencesOf(recorded, ours) {
  return Object.entries(ours).flatMap(([field, value]) => {
    const theirs = recorded[field];
    if (JSON.stringify(theirs) === JSON.stringify(value)) return [];
    if (typeof value === 'string' && typeof theirs === 'string') return [{ field, ...shownFrom(theirs, value) }];
    if (!Array.isArray(value) || !Array.isArray(theirs))
      return [{ field, theirs: shorten(theirs ?? 'nothing'), ours: shorten(value) }];
    const onlyTheirs = theirs.filter((each) => !value.includes(each));
    const onlyOurs = value.filter((each) => !theirs.includes(each));
    return [{ field, theirs: `also ${shorten(onlyTheirs)}`, ours: `also ${shorten(onlyOurs)}` }];
  });
}

/** Every step of a recorded game: where it is, its class, and what differs. */
export function* compareGame(recorded, logic) {
  const texts = {
    domain: logic.domain,
    grammar: logic.grammar.replace(placeholder, () => recorded.goal),
    problem: recorded.problem,
  };
  if (recorded.error !== undefined) {
    yield { place: 'loading', kind: 'refused', differences: refusalOf(recorded, texts) };
    return;
  }
  const game = readGame(texts, 'alfworld');
  const names = Object.fromEntries(
    game.setting.names.flatMap((id, thing) =>
      game.setting.isMentioned[thing] && ['object', 'receptacle'].includes(game.setting.types[thing])
        ? [[id, game.names[thing]]]
        : [],
    ),
  );
  if (recorded.names !== undefined)
    yield { place: 'names', kind: 'names', differences: differencesOf(recorded, { names }) };
  const session = new Session(game, 'alfworld');
  for (const [transcript, steps] of Object.entries(recorded.play)) {
    for (const [index, step] of steps.entries()) {
      // The original failed in this step, or its expert did.
      if (step.error !== undefined) break;
      const ours = index === 0 ? startOf(session, recorded) : stepOf(session, step.command);
      const place = `${transcript} ${index}${index === 0 ? '' : ` ${JSON.stringify(step.command)}`}`;
      yield {
        place,
        kind: transcript,
        differences: differencesOf(index === 0 ? { ...step, goal: recorded.goal } : step, ours),
      };
    }
  }
}

/** No difference if the game is refused with a reason, as it should be. */
function refusalOf(recorded, texts) {
  try {
    checkPlayable(readGame(texts, 'alfworld'), 'alfworld');
    return [{ field: 'error', theirs: recorded.error, ours: 'the game was loaded' }];
  } catch (error) {
    if (error.name === 'GameError') {
      console.log(`refused ${recorded.name}: ${error.message}`);
      return [];
    }
    throw error;
  }
}

function startOf(session, { goal }) {
  const feedback = session.start();
  const told = feedback.split('\n').find((line) => line === goal) ?? 'no such line';
  return { feedback, goal: told, admissible: session.admissible(), moves: session.moves };
}

function stepOf(session, command) {
  const { text, won } = session.act(command);
  return {
    feedback: text,
    admissible: session.admissible(),
    moves: session.moves,
    score: won ? 1 : 0,
    done: won,
    won,
  };
}
