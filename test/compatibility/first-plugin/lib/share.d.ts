import type { RewardScheme } from '@agentgym/cli';
/** What solves the task earns 1, milestones on the way share 0.4. */
export declare function create(): RewardScheme;
