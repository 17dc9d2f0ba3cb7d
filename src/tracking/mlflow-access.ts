import { AgentgymError } from '../errors/agentgym-error.js';
import { basicAuthorization, decodePart } from '../transfers/wire-secrets.js';

/** An MLflow server, and the right to use it. */
export interface MlflowAccess {
  /** Address without credentials and without a slash at the end. */
  readonly address: string;
  /** Host and port, for messages and files. */
  readonly host: string;
  /** Value of the header `authorization`. Never shown. */
  readonly authorization?: string;
  /** Every form of the credentials that an answer might repeat. They are removed from messages. */
  readonly secrets: readonly string[];
  /** Where new runs belong: an experiment's name, or its id. */
  readonly experiment: { readonly name: string } | { readonly id: string };
}

/** MLflow's own experiment `Default`. */
const defaultExperiment = '0';

/**
 * The server that the environment names, by the variables of MLflow's own client (`mlflow/environment_variables.py`):
 * MLFLOW_TRACKING_URI, MLFLOW_TRACKING_USERNAME with MLFLOW_TRACKING_PASSWORD or MLFLOW_TRACKING_TOKEN, and
 * MLFLOW_EXPERIMENT_NAME or MLFLOW_EXPERIMENT_ID. A name and password in the address come first, as they do there.
 *
 * @throws AgentgymError AG_TRACKING_SETTING; no message repeats a value, as it may contain a password
 */
export function mlflowAccess(environment: { readonly [name: string]: string | undefined }): MlflowAccess {
  const read = (name: string) => environment[name]?.trim() || undefined;
  const uri = read('MLFLOW_TRACKING_URI');
  if (uri === undefined) {
    throw setting(
      '`tracking` names `mlflow`, but MLFLOW_TRACKING_URI is not set.',
      'Set it to the address of an MLflow server, such as `export MLFLOW_TRACKING_URI=http://localhost:5000`, or remove `mlflow` from `tracking`.',
    );
  }
  const url = /^https?:\/\//i.test(uri) && URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined || url.search !== '' || url.hash !== '') {
    throw setting(
      'MLFLOW_TRACKING_URI is not the address of an MLflow server: it must begin with http:// or https://, and have no `?` and no `#`.',
      'Runs in a folder or a database are shown by `mlflow server --backend-store-uri URI`; set MLFLOW_TRACKING_URI to the address of that server.',
    );
  }
  const [name, id] = [read('MLFLOW_EXPERIMENT_NAME'), read('MLFLOW_EXPERIMENT_ID')];
  if (name !== undefined && id !== undefined) {
    throw setting('MLFLOW_EXPERIMENT_NAME and MLFLOW_EXPERIMENT_ID are both set.', 'Unset one of the two.');
  }
  const experiment = name === undefined ? { id: id ?? defaultExperiment } : { name };
  const address = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  return { address, host: url.host, experiment, ...credentialsOf(url, read) };
}

function credentialsOf(
  { username, password }: URL,
  read: (name: string) => string | undefined,
): Pick<MlflowAccess, 'authorization' | 'secrets'> {
  if (username !== '' || password !== '') return basic(decodePart(username), decodePart(password), [password]);
  const [name, word, token] = ['USERNAME', 'PASSWORD', 'TOKEN'].map((part) => read(`MLFLOW_TRACKING_${part}`));
  if ((name === undefined) !== (word === undefined)) {
    const message = 'Only one of MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD is set.';
    throw setting(message, 'Set both, or unset both.');
  }
  if (name !== undefined && word !== undefined) return basic(name, word);
  if (token === undefined) return { secrets: [] };
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const message = 'MLFLOW_TRACKING_TOKEN contains blanks or characters that a token cannot have.';
    throw setting(message, 'Correct or unset it.');
  }
  return { authorization: `Bearer ${token}`, secrets: [token] };
}

function basic(name: string, word: string, more: readonly string[] = []) {
  const authorization = basicAuthorization(name, word);
  const secrets = [word, authorization.replace('Basic ', ''), ...more].filter((secret) => secret !== '');
  return { authorization, secrets };
}

function setting(message: string, hint: string): AgentgymError {
  return new AgentgymError('AG_TRACKING_SETTING', { message, hint });
}
