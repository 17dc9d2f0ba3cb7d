// All tests, the long ones too.
import { configOf } from './vitest.config.js';

export default configOf(true);
