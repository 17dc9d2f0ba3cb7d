const widths = [24, 18, 18, 12, 14, 12];

/** Prints the table, and the times of the parts of a quickstart iteration on both sides. */
export function printReport({ machine, torch, foreignCores, rows, iteration }) {
  console.log(`${machine}; PyTorch ${torch}, eager. Each side at its faster of one and two threads (in brackets).`);
  console.log('The CPU ratio compares the processor time of both on one thread, which a busy machine disturbs less.');
  if (foreignCores !== undefined) console.log(`Others used ${foreignCores.toFixed(2)} cores meanwhile.`);
  console.log();
  printLine('', 'agentgym', 'PyTorch', 'time ratio', 'goal', 'CPU ratio');
  for (const { name, ours, torch: theirs, ratio, cpuRatio, goal, text } of rows) {
    const [own, other] = text;
    const verdict = goal === undefined ? '' : `${goal.toFixed(2)}${ratio <= goal ? '' : ' missed'}`;
    const sides = [`${own} (${ours.threads})`, `${other} (${theirs.threads})`];
    printLine(name, ...sides, ratio.toFixed(2), verdict, cpuRatio.toFixed(2));
  }
  const { ours, plain, tuned } = iteration;
  const { generate, forwardBackward, optimizerStep } = ours.inModel;
  const inModel = forwardBackward + optimizerStep;
  console.log('\nWhere an iteration of the quickstart goes (512 episodes):');
  console.log(
    `  agentgym  rollout ${ms(ours.rollout)}: generation ${ms(generate)}, games and text ${ms(ours.rollout - generate)}`,
  );
  console.log(
    `            update  ${ms(ours.update)}: gradients ${ms(forwardBackward)}, optimizer ${ms(optimizerStep)}, batches and credit ${ms(ours.update - inModel)}`,
  );
  for (const [name, loop] of Object.entries({ plain, tuned })) {
    console.log(`  PyTorch, ${name} loop: rollout ${ms(loop.rollout)}, update ${ms(loop.update)}`);
  }
  console.log(`  success meanwhile ${[ours, plain, tuned].map(({ success }) => percent(success)).join(', ')}`);
}

function printLine(name, ...cells) {
  console.log([name.padEnd(widths[0]), ...cells.map((cell, i) => cell.padStart(widths[i + 1]))].join(''));
}

function ms(seconds) {
  return `${(1000 * seconds).toFixed(0)} ms`;
}

function percent(share) {
  return `${(100 * share).toFixed(0)} %`;
}
