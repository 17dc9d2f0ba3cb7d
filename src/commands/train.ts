import { Args, Flags } from '@oclif/core';

import { BaseCommand, setFlag, writesAtEnd, yesFlag } from '../cli/base-command.js';
import { excludeFlags } from '../cli/exclude-flags.js';
import { labelFlags, labelOf } from '../cli/label-flags.js';
import { memoryCheckFlag } from '../cli/memory-check-flag.js';
import { runnerFlags, runnerRequest } from '../cli/runner-flags.js';
import { recipeSettings } from '../cli/recipe-settings.js';
import type { RunEvent } from '../contracts/events.js';
import type { CheckedTraining } from '../experiments/check-training.js';
import type { PlannedTraining } from '../experiments/start-training.js';
import type { Runner } from '../runners/runner.js';
import type { TrainingElsewhere } from '../runners/train-elsewhere.js';
import type { TriedTraining } from '../runners/try-training.js';
import type { RunResult } from '../runs/run-result.js';

/** `agentgym train [RECIPE]` */
export default class Train extends BaseCommand {
  static override summary = 'Train a policy from a recipe, or resume a run';
  static override description =
    'RECIPE is a built-in name or a file (YAML, JSON, TypeScript). The default is the recipe of the current project. The run is written into runs/. ' +
    'Ctrl-C saves a checkpoint; `--resume` continues exactly from there.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> quickstart',
    '<%= config.bin %> <%= command.id %> quickstart --seed 2 --set algorithm.groupSize=8',
    '<%= config.bin %> <%= command.id %> my-recipe.yaml --output runs/mine --json',
    '<%= config.bin %> <%= command.id %> my-recipe.yaml --check',
    '<%= config.bin %> <%= command.id %> --resume latest',
  ];
  static override args = {
    recipe: Args.string({ description: "Name of a built-in recipe, or path of a file; default: the project's recipe" }),
  };
  static override flags = {
    environment: Flags.string({ helpValue: 'NAME', description: 'Set environment.name' }),
    seed: Flags.integer({ description: 'Set seed, which determines all random numbers' }),
    set: setFlag,
    yes: yesFlag,
    output: Flags.string({ helpValue: 'DIR', description: 'New folder of the run; default: one in runs/' }),
    resume: Flags.string({
      helpValue: 'RUN',
      ...excludeFlags('check', 'name', 'tag', 'note'),
      description: 'Resume a run: a path, an id, or latest',
    }),
    ...labelFlags,
    // Set by `ablate` for the runs of a grid.
    'shared-stages': Flags.string({ hidden: true }),
    'shared-games': Flags.string({ hidden: true }),
    'memory-share': Flags.integer({ hidden: true }),
    ...memoryCheckFlag,
    ...runnerFlags(['local', 'ray']),
    check: Flags.boolean({
      exclusive: ['yes'],
      description: 'Check the recipe and its plugins without playing, print the plan and its memory, and stop',
    }),
    trial: Flags.boolean({
      dependsOn: ['check'],
      description: 'Also try a few steps, to tell the time and the memory, unless they may cost something',
    }),
  };

  async run(): Promise<RunResult | (CheckedTraining & { readonly trial: TriedTraining | null })> {
    const { args, flags } = await this.parse(Train);
    if (flags.check) this.interruption = writesAtEnd;
    const { planTraining } = await import('../experiments/start-training.js');
    const { checkLines, costLines } = await import('../reports/check-lines.js');
    const { showProgress } = await import('../reporting/show-progress.js');
    const { styleOf } = await import('../reporting/terminal-style.js');
    const { tellTraining } = await import('../advice/tell-training.js');
    const { trackingContext } = await import('../reports/tracking-context.js');
    const output = flags.output === undefined ? {} : { output: flags.output };
    const place = { ...output, ...labelOf(flags), runsFolder: 'runs' };
    const planned = await planTraining({
      ...(args.recipe !== undefined && { source: args.recipe }),
      sets: recipeSettings(flags),
      ...(flags.resume !== undefined && { resume: flags.resume }),
      ...place,
      ...(flags['shared-stages'] !== undefined && { sharedStages: flags['shared-stages'] }),
      ...(flags['shared-games'] !== undefined && { sharedGames: flags['shared-games'] }),
      memory: {
        short: flags['memory-check'] ? 'refuse' : 'ignore',
        ...(flags['memory-share'] !== undefined && { share: flags['memory-share'] }),
      },
      tracking: trackingContext(process.env, this.config.version),
      command: this.words(),
      cwd: process.cwd(),
      host: await this.openPluginHostFor(flags.yes),
      settings: await this.hostSettings(0),
      version: this.config.version,
    });
    if (flags.check) {
      const checked = await planned.check();
      for (const line of checkLines(checked)) this.say(line);
      const isTried = flags.trial && checked.external.length === 0;
      const trial = isTried ? await this.#try(planned, checked, flags['memory-check']) : null;
      for (const line of costLines(checked, flags.trial ? trial : undefined)) this.say(line);
      return { ...checked, trial };
    }
    const runner = await this.#runner(flags);
    const terminal = this.display();
    const display = await showProgress({ stages: planned.stages, ...terminal });
    let outcome: 'ended' | 'failed' = 'failed';
    try {
      const listener = (event: RunEvent) => display.event(event);
      const result =
        runner === undefined
          ? await planned.run(listener)
          : await this.#trainOn(runner, planned, { ...place, listener });
      outcome = 'ended';
      await display.close(outcome);
      const style = styleOf(terminal.stdout, terminal.environment);
      for (const line of terminal.quiet ? [] : await tellTraining(result, style)) this.say(line);
      if (result.status === 'interrupted') process.exitCode = 130;
      return result;
    } finally {
      if (outcome === 'failed') await display.close(outcome);
    }
  }

  async #try({ plan }: PlannedTraining, { tasks }: CheckedTraining, checksMemory: boolean): Promise<TriedTraining> {
    const { trialSteps, tryTraining } = await import('../runners/try-training.js');
    this.note(`Trying ${trialSteps} steps of each stage, to tell the time and the memory.`);
    return tryTraining({ plan, tasks, checksMemory, signal: this.signal });
  }

  /** Undefined: the run is trained in this process. */
  async #runner(flags: Parameters<typeof runnerRequest>[0]): Promise<Runner | undefined> {
    const { openRunner, isRenderer } = await import('../runners/open-runner.js');
    const request = await runnerRequest(flags, this.config, 1, (line) => this.note(line));
    const runner = await openRunner({ ...request, workers: 1 }, this.signal);
    return flags.runner === 'local' || isRenderer(runner) ? undefined : runner;
  }

  /** Trains with another runner than this process. */
  async #trainOn(
    runner: Runner,
    { plan: { recipe }, resume }: PlannedTraining,
    given: Omit<TrainingElsewhere, 'runner' | 'recipe' | 'resume' | 'signal'>,
  ): Promise<RunResult> {
    const { trainElsewhere } = await import('../runners/train-elsewhere.js');
    return trainElsewhere({ ...given, runner, recipe, ...(resume !== undefined && { resume }), signal: this.signal });
  }
}
