// Compares types of the first contract with the current types; `npm run typecheck` compiles it. The host must accept
// everything that an old plugin provides, and provide everything that an old plugin expects. Otherwise there is a type
// error here.
import type * as Present from '@agentgym/cli';

import type * as First from './first-contract.js';

type Takes<Expected, Given extends Expected> = Given;

export type PluginGives = [
  Takes<Present.Contribution, First.Contribution>,
  Takes<Present.OptionsDeclaration, First.OptionsDeclaration>,
  Takes<Present.World, First.World>,
  Takes<Present.TaskFacts, First.TaskFacts>,
  Takes<Present.Environment, First.Environment>,
  Takes<Present.Start, First.Start>,
  Takes<Present.StepResult, First.StepResult>,
  Takes<Present.Conclusion, First.Conclusion>,
  Takes<Present.RewardScheme, First.RewardScheme>,
  Takes<Present.ActionFormat, First.ActionFormat>,
  Takes<Present.Tool, First.Tool>,
  Takes<Present.Algorithm, First.Algorithm>,
  Takes<Present.Advantages, First.Advantages>,
  Takes<Present.PolicyModel, First.PolicyModel>,
  Takes<Present.PolicyCapabilities, First.PolicyCapabilities>,
  Takes<Present.ForwardBackwardResult, First.ForwardBackwardResult>,
  Takes<Present.OptimizerStepResult, First.OptimizerStepResult>,
  Takes<readonly Present.Diagnosis[], readonly First.Diagnosis[]>,
];

export type PluginIsHanded = [
  Takes<First.Host, Present.Host>,
  Takes<First.EnvironmentHost, Present.EnvironmentHost>,
  Takes<First.Call, Present.Call>,
  Takes<First.Draw, Present.Draw>,
  Takes<First.AlgorithmHost, Present.AlgorithmHost>,
  Takes<First.Random, Present.Random>,
  Takes<First.TrainingBatch, Present.TrainingBatch>,
  Takes<First.CompletedEpisode, Present.CompletedEpisode>,
  Takes<First.RewardTurn, Present.RewardTurn>,
  Takes<First.BoundsContext, Present.BoundsContext>,
  Takes<First.ToolContext, Present.ToolContext>,
  Takes<First.LossOperations, Present.LossOperations>,
  Takes<First.LossInputs, Present.LossInputs>,
  Takes<First.UpdateSettings, Present.UpdateSettings>,
  Takes<First.OptionChecks, Present.OptionChecks>,
  Takes<First.PolicyContext, Present.PolicyContext>,
  Takes<First.GenerateRequest, Present.GenerateRequest>,
  Takes<First.Sampling, Present.Sampling>,
  Takes<First.OptimizerStep, Present.OptimizerStep>,
  Takes<First.OptimizerSettings, Present.OptimizerSettings>,
];
