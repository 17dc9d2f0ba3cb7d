import type { JudgedEpisode } from '@agentgym/cli';

/** What the agent saw and wrote, turn by turn, and how it ended. The middle of a longer text is left out. */
export function episodeRecord({ turns, finalObservation, terminated, truncated }: JudgedEpisode, most: number): string {
  const lines = turns.flatMap(({ observation, text }, index) => [
    `[observation ${index + 1}]\n${observation}`,
    `[agent ${index + 1}]\n${text}`,
  ]);
  const end = terminated ? 'the task ended' : `cut by its cap of ${truncated ?? 'turns'}`;
  const whole = [...lines, `[last observation]\n${finalObservation}`, `[end] ${end}`].join('\n\n');
  if (whole.length <= most) return whole;
  const half = Math.floor(most / 2);
  // Half of a surrogate pair would be no text.
  const [head, tail] = [
    whole.slice(0, half).replace(/[\uD800-\uDBFF]$/u, ''),
    whole.slice(-half).replace(/^[\uDC00-\uDFFF]/u, ''),
  ];
  return `${head}\n[${whole.length - head.length - tail.length} characters left out]\n${tail}`;
}
