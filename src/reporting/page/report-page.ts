// The page of a report that opens from disk. All of it is drawn from the JSON in the document: see ../report-data.ts.
import type { ReportData } from '../report-data.js';
import { drawReport } from './draw-report.js';

const [root, source] = [document.getElementById('report'), document.getElementById('report-data')];
if (root !== null && source !== null) drawReport(root, JSON.parse(source.textContent) as ReportData);
