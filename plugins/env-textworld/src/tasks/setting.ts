import type { Options } from '../options.js';

/** The beginning of all task ids of these options, which names everything that decides their games: `w2-o3-q4`. */
export function settingOf(options: Options): string {
  const { game, instructions } = options;
  const told = instructions === 'last' ? '-last' : '';
  switch (game) {
    case 'custom':
      return `w${options.rooms}-o${options.objects}-q${options.questLength}${told}`;
    case 'simple':
      return `simple-${options.rewards}-${options.goal}`;
    case 'coin-collector':
    case 'treasure-hunter':
      return `${game}-${options.level}${told}`;
    case 'cooking': {
      const skills = (['open', 'cook', 'cut', 'drop'] as const).filter((skill) => options[skill]);
      const foods = options.foods === 'split' ? ['split'] : [];
      return ['cooking', `recipe${options.recipe}`, `take${options.take}`, `go${options.go}`, ...skills, ...foods].join(
        '-',
      );
    }
    case 'files':
      return 'games';
  }
}
