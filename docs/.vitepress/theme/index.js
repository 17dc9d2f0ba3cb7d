// The default theme with the system's own fonts: a page asks no other server for anything.
import theme from 'vitepress/theme-without-fonts';

import './style.css';

export default theme;
