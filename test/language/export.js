// Writes a Hugging Face folder as a GGUF file of float32: node test/language/export.js FOLDER FILE
import { outsideFiles } from '../../dist/files/outside-files.js';
import { exportGguf } from '../../plugins/policy-transformer/dist/policy/export-gguf.js';

const [folder, file] = process.argv.slice(2);
const sampling = { temperature: 1, topP: 1, topK: 0 };
const settings = { dtype: 'float32', merge: false, name: 'language', sampling, signal: new AbortController().signal };
await exportGguf({ thinking: 'template' }, folder, file, settings, outsideFiles);
