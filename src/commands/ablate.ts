import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { Args } from '@oclif/core';

import type { PlannedAblation } from '../ablation/plan-ablation.js';
import { ablationFlags, parseValues } from '../cli/ablation-flags.js';
import { BaseCommand, setFlag } from '../cli/base-command.js';
import { runnerRequest } from '../cli/runner-flags.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';

/** `agentgym ablate AXIS|FILE` */
export default class Ablate extends BaseCommand {
  static override summary = 'Test whether a setting matters: train a grid of cells with seeds, and compare them';
  static override description =
    'AXIS is sparsity, budget (SFT : RL), horizon, algorithm, complexity, transfer (train on each level, test on all) or model. FILE describes any ' +
    'grid of recipe keys; some built-in recipes, such as scaling-inter, include one. Cells run side by side and are compared on the same seeds and ' +
    'tasks. After a stop or a crash, the same command continues. If the ablation is complete, it only prints the results.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> sparsity --recipe quickstart --seeds 3',
    '<%= config.bin %> <%= command.id %> algorithm --recipe quickstart --values "[grpo, rloo, ppo]" --dry-run',
    '<%= config.bin %> <%= command.id %> my-grid.yaml --workers 4 --budget-seconds 3600 --json',
  ];
  static override args = {
    what: Args.string({ required: true, description: 'An axis, an ablation file, or a recipe that has one' }),
  };
  static override flags = { set: setFlag, ...ablationFlags };

  async run() {
    const { args, flags } = await this.parse(Ablate);
    const { planAblation } = await import('../ablation/plan-ablation.js');
    const { runAblation, renderAblation } = await import('../ablation/run-ablation.js');
    const { isRenderer, openRunner } = await import('../runners/open-runner.js');
    const { trackAblation } = await import('../ablation/track-ablation.js');
    const { trackingContext } = await import('../reports/tracking-context.js');
    const { estimateBlocks, renderingLines } = await import('../ablation/ablation-lines.js');
    const { ablationBlocks } = await import('../reports/ablation-blocks.js');
    const { writeReport } = await import('../reports/write-report.js');
    const { showGrid } = await import('../reporting/show-grid.js');
    const host = await this.openPluginHostFor(flags.yes);
    const settings = await this.hostSettings(1);
    const planned = await planAblation({
      what: args.what,
      ...(flags.recipe !== undefined && { recipe: flags.recipe }),
      sets: flags.set ?? [],
      ...(flags.seeds !== undefined && { seeds: flags.seeds }),
      ...(flags.values !== undefined && { values: await parseValues(flags.values) }),
      cwd: process.cwd(),
      runsFolder: 'runs',
      host,
      settings,
      yes: flags.yes,
    });
    const { cells, seeds } = planned;
    const isLocal = flags.runner === 'local';
    const localWorkers =
      flags.workers ?? (isLocal ? await this.#localWorkers(planned, host, settings, flags['memory-check']) : 1);
    const common = {
      ...(flags.output !== undefined && { output: flags.output }),
      measure: flags.metric,
      temperature: flags.temperature,
      versions: { agentgym: this.config.version, node: process.version },
      command: this.words(),
    };
    const request = await runnerRequest(flags, this.config, localWorkers, (line) => this.note(line));
    const runner = await openRunner(request, this.signal);
    if (isRenderer(runner)) {
      const { result, rendering } = await renderAblation(planned, { ...common, renderer: runner });
      for (const line of renderingLines(result, rendering)) this.say(line);
      return { ...result, rendering };
    }
    const { workers } = runner;
    if (flags['dry-run']) {
      const { estimateCells } = await import('../ablation/estimate-cells.js');
      const estimates = await estimateCells(planned, this.signal);
      await this.tell(estimateBlocks(estimates, seeds.length, workers));
      return { ablation: planned.folder, axis: planned.plan.axis, seeds, workers, cells: estimates };
    }
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const track = trackAblation(planned, trackingContext(process.env, this.config.version), warn);
    const begun = performance.now();
    if (isLocal && !this.jsonEnabled() && !existsSync(flags.output ?? planned.folder)) {
      const { tellDuration } = await import('../ablation/tell-duration.js');
      await tellDuration(planned, workers, (line) => this.say(line), this.signal);
    }
    const spent = Math.round((performance.now() - begun) / 1000);
    const titles = cells.map(({ id, title = id }) => title);
    const display = await showGrid({ cells: titles, seeds: seeds.length, workers, ...this.display() });
    const result = await runAblation(planned, {
      ...common,
      runner,
      ...(track && { track }),
      share: flags.share,
      ...(flags['budget-seconds'] !== undefined && {
        budgetSeconds: Math.max(1, flags['budget-seconds'] - spent),
      }),
      listener: (event) => display.event(event),
      signal: this.signal,
      // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for it
    }).finally(() => display.close());
    for (const warning of warnings) this.note(warning);
    const { report } = await writeReport({ runs: [result.ablation], episodes: 2000, version: this.config.version });
    await this.tell(ablationBlocks(result));
    this.say(`\nAblation ${result.status}: ${result.ablation}`);
    this.say(`Report: ${report}`);
    if (result.status !== 'completed') this.say('The same command continues it.');
    // A failed or missing run is a failed check; what the user or the budget cut goes on with the same command.
    const isCut = this.signal.aborted || (flags['budget-seconds'] !== undefined && result.status === 'incomplete');
    if (isCut) process.exitCode = 130;
    else if (result.status !== 'completed') process.exitCode = 1;
    return result;
  }
  /** Runs that this machine has cores and memory for. */
  async #localWorkers(
    planned: PlannedAblation,
    host: PluginHost,
    settings: HostSettings,
    checksMemory: boolean,
  ): Promise<number> {
    const most = Math.min(availableParallelism(), planned.cells.length * planned.seeds.length);
    if (!checksMemory) return most;
    const { roomInMemory } = await import('../ablation/room-in-memory.js');
    return roomInMemory(planned, most, host, settings);
  }
}
