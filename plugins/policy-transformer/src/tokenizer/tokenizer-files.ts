/** The texts of a tokenizer, as in a Hugging Face folder; loaded texts are saved again byte by byte. */
export interface TokenizerFiles {
  /** tokenizer.json */
  readonly tokenizer: string;
  /** tokenizer_config.json */
  readonly config: string;
  /** chat_template.jinja; absent if the template is in tokenizer_config.json. */
  readonly chatTemplate?: string;
  /** The files of additional_chat_templates by their names without `.jinja`; absent if there are none. */
  readonly additionalTemplates?: { readonly [name: string]: string };
}

/** The part of tokenizer.json that is read here; the library reads the rest. */
export interface TokenizerJson {
  readonly added_tokens: readonly {
    readonly id: number;
    readonly content: string;
    readonly lstrip?: boolean;
    readonly rstrip?: boolean;
    readonly single_word?: boolean;
    readonly special?: boolean;
    /** It is found in the normalized text, with its own spelling normalized. Default: if it is not special. */
    readonly normalized?: boolean;
  }[];
  readonly normalizer?: { readonly type?: string } | null;
  readonly pre_tokenizer?: { readonly type?: string } | null;
  readonly decoder?: { readonly type?: string } | null;
  readonly model: {
    readonly vocab: { readonly [token: string]: number } | readonly (readonly [string, number])[];
    readonly unk_token?: string | null;
  };
}
