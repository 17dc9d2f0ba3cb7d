// The report page that opens from disk. It is drawn entirely from the JSON in the document: see ../report-data.ts.
import type { ReportData } from '../report-data.js';
import { drawReport } from './draw-report.js';

const [root, source] = [document.getElementById('report'), document.getElementById('report-data')];
if (root !== null && source !== null) drawReport(root, JSON.parse(source.textContent) as ReportData);
