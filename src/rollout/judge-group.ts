import type { JudgedEpisode, JudgedScores } from '../contracts/reward.js';
import type { CompletedEpisode, Episode, Turn, Verdict } from '../contracts/trajectory.js';
import type { ComposedReward, JudgedTerm } from './compose-reward.js';
import type { NotJudged } from './open-judge.js';

export interface JudgingOptions {
  readonly reward: ComposedReward;
  /** The world's rules. */
  readonly instructions: string;
  /** Repetitions of a call that failed. */
  readonly retries: number;
  readonly signal: AbortSignal;
}

/**
 * Lets the judges of a reward read the completed episodes of a group, and adds their numbers. An episode without a
 * judgement becomes a failed one. One without turns has nothing to judge.
 *
 * @param group the episodes of one task that were sampled together
 * @throws AG_REWARD_UNAVAILABLE, or the reason of the signal
 */
export async function judgeGroup(
  group: readonly Episode[],
  { reward, instructions, retries, signal }: JudgingOptions,
): Promise<readonly Episode[]> {
  const played = group.filter((episode) => episode.status === 'completed' && episode.turns.length > 0);
  if (played.length === 0) return group;
  const copies = (played as readonly CompletedEpisode[]).map((episode) => judgedEpisode(episode, instructions));
  const answers = await Promise.all(reward.judges.map(({ judge }) => judge.judgements(copies, retries, signal)));
  return group.map((episode) => {
    const place = played.indexOf(episode);
    if (place < 0) return episode;
    const own = answers.map((answer) => answer[place] as JudgedScores | NotJudged);
    return withJudgements(episode as CompletedEpisode, own, reward);
  });
}

/** What judges read. Equal plays give equal copies, wherever in a run they were played. */
function judgedEpisode(episode: CompletedEpisode, instructions: string): JudgedEpisode {
  const { task, turns, finalObservation, terminated, truncated, success, references } = episode;
  return {
    task,
    instructions: episode.instructions ?? instructions,
    ...(references && { references }),
    turns: turns.map(({ observation, text, action, malformed, calls, cut, native, facts }) => ({
      observation,
      text,
      ...(action !== undefined && { action }),
      ...(malformed !== undefined && { malformed }),
      ...(calls && { calls }),
      cut,
      native,
      facts,
    })),
    finalObservation,
    terminated,
    ...(truncated && { truncated }),
    success,
  };
}

function withJudgements(
  episode: CompletedEpisode,
  answers: readonly (JudgedScores | NotJudged)[],
  reward: ComposedReward,
): Episode {
  const failure = answers.find((answer) => 'phase' in answer);
  if (failure !== undefined) return failed(episode, failure);
  const { judges } = reward;
  const judgements = answers as readonly JudgedScores[];
  const turns = episode.turns.map((turn, index): Turn => {
    const judged = judges.map(({ name, weight }, place) => [name, weight * judgements[place]!.scores[index]!] as const);
    const components = reward.ordered({ ...turn.components, ...Object.fromEntries(judged) });
    return { ...turn, components, reward: Object.values(components).reduce((sum, part) => sum + part, 0) };
  });
  const total = turns.reduce((sum, { reward }) => sum + reward, 0);
  if (!Number.isFinite(total)) {
    return failed(episode, { phase: 'judge', message: `the sum of the rewards is ${total}` });
  }
  const verdicts = judges.map((term, place) => verdictOf(term, judgements[place]!));
  return { ...episode, turns, return: total, verdicts: [...(episode.verdicts ?? []), ...verdicts] };
}

function verdictOf({ name }: JudgedTerm, { reason, scores, tokens }: JudgedScores): Verdict {
  return {
    judge: name,
    score: scores.reduce((sum, score) => sum + score, 0),
    ...(reason !== undefined && { reason }),
    ...(tokens !== undefined && { tokens }),
  };
}

function failed(
  { entry, iteration, task, group, member, turns, retries }: CompletedEpisode,
  failure: NotJudged,
): Episode {
  return {
    ...(entry !== undefined && { entry }),
    ...{ iteration, task, group, member, status: 'failed', failure, turns, retries },
  };
}
