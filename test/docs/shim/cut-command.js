import { fileURLToPath } from 'node:url';

import { cutPilot, cutSettings } from './cut-settings.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/**
 * Axes whose cells do not change the cut keys. Cells of other axes decide how long training takes: a dry run resolves
 * them all and trains a few steps of one.
 */
const TRAINED_AXES = ['sparsity', 'algorithm', 'complexity', 'transfer', 'model'];

/** An expert plays up to so many tasks for a file, and only a few of more. */
const MOST_TASKS = 200;
const FEW_TASKS = 40;

/**
 * The same command with less work, or the same list if there is nothing to cut.
 *
 * @param {string[]} argv
 * @returns {Promise<string[]>}
 */
export async function cutCommand(argv) {
  const [id, what] = argv;
  if (argv.includes('--help')) return argv;
  switch (id) {
    case 'evaluate':
    case 'advise':
      return argv.includes('--tasks') ? argv : [...argv, '--tasks', '8'];
    case 'demonstrate':
      return argv.map((word, i) => (argv[i - 1] === '--tasks' && Number(word) > MOST_TASKS ? String(FEW_TASKS) : word));
    case 'ui':
      // Any free port, and no browser.
      return [...withoutFlag(argv, '--port').filter((word) => word !== '--open'), '--port', '0'];
    case 'doctor':
      return ['--recipe', '--fix', '--quick'].some((flag) => argv.includes(flag)) ? argv : [...argv, '--quick'];
    case 'train':
      return argv.includes('--resume') ? argv : cutRecipe(argv, (args) => args.recipe);
    case 'ablate': {
      if (!TRAINED_AXES.includes(what)) return [...argv, ...settingFlags(cutPilot), ...dryRun(argv)];
      const cut = await cutRecipe(argv, (_args, flags) => flags.recipe);
      return cut === argv ? argv : [...withoutFlag(cut, '--seeds'), '--seeds', '1'];
    }
    default:
      return argv;
  }
}

/**
 * Resolves the recipe of the command before the cut. A wrong recipe stays unchanged, so that the command reports its
 * error.
 */
async function cutRecipe(argv, recipeOf) {
  // Loaded only here, because most commands are not cut.
  const [{ Config }, { acceptRecipe, resolveRecipe }] = await Promise.all([
    import('@oclif/core'),
    import('../../../dist/config/resolve-recipe.js'),
  ]);
  const config = await Config.load(root);
  const Command = await config.findCommand(argv[0]).load();
  const command = new Command(argv.slice(1), config);
  try {
    const { args, flags } = await command.parse(Command);
    const environment = flags.environment === undefined ? [] : [`environment.name=${flags.environment}`];
    const { recipe } = acceptRecipe(
      await resolveRecipe({
        source: recipeOf(args, flags),
        sets: [...environment, ...(flags.set ?? [])],
        cwd: process.cwd(),
        host: await command.openPluginHost(),
      }),
    );
    const cuts = cutSettings(recipe);
    const isCut = (set) => cuts.some(([key]) => set?.startsWith(`${key}=`));
    // A key that is set twice is an error, so the command's own values of cut keys are removed.
    const isOwn = (word, next) => word === '--set' && isCut(next);
    const kept = argv.filter((word, i) => !isOwn(word, argv[i + 1]) && !isOwn(argv[i - 1], word));
    return [...kept, ...settingFlags(cuts)];
  } catch {
    return argv;
  }
}

const settingFlags = (settings) => settings.flatMap(([key, value]) => ['--set', `${key}=${value}`]);

const dryRun = (argv) => (argv.includes('--dry-run') ? [] : ['--dry-run']);

function withoutFlag(argv, flag) {
  const at = argv.indexOf(flag);
  return at < 0 ? argv : [...argv.slice(0, at), ...argv.slice(at + 2)];
}
