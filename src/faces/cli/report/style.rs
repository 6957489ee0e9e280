//! How the page looks: light and dark, on paper and on a phone.

/// Colors after Okabe and Ito, which tell apart also for who does not see red and green.
pub const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fbfaf7;--card:#fff;--ink:#1d2126;--soft:#5c646e;--line:#e4e1d9;\
--c1:#0072b2;--c2:#e69f00;--c3:#009e73;--c4:#cc79a7;--c5:#d55e00;--good:#0072b2;--bad:#d55e00;--none:#9aa1a9;\
--ok:#00734f;--warn:#9a5b00;--error:#b3261e}\
@media(prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1c2024;--ink:#e8e6e1;--soft:#9da5ae;\
--line:#30363c;--c1:#56b4e9;--c2:#e69f00;--c3:#2fc79a;--c4:#dd9cc3;--c5:#ff8a4c;--good:#56b4e9;--bad:#ff8a4c;\
--none:#7d858d;--ok:#4fd3a6;--warn:#f2b24c;--error:#ff8f85}}\
*{box-sizing:border-box}\
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 ui-serif,Charter,'Iowan Old Style',\
'Source Serif 4',Georgia,'DejaVu Serif',serif;-webkit-text-size-adjust:100%}\
main{max-width:71rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}\
h1,h2,h3,th,.tick,.unit,.mark,.key span,.badge,.legend,summary,nav,footer,.sans{font-family:ui-sans-serif,\
system-ui,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',sans-serif}\
h1{font-size:2rem;line-height:1.2;margin:0;letter-spacing:-.02em;font-weight:650}\
h2{font-size:1.2rem;margin:3rem 0 .9rem;padding-top:.9rem;border-top:2px solid var(--ink);letter-spacing:-.01em}\
h3{font-size:.98rem;margin:0;font-weight:620}\
p{margin:.2rem 0 .7rem;max-width:44rem}\
figcaption p,.soft{color:var(--soft);font-size:.92rem}\
header p{color:var(--soft);margin:.45rem 0 0;overflow-wrap:anywhere}\
.badge{display:inline-block;font-size:.8rem;font-weight:650;padding:.14rem .6rem;border-radius:1rem;\
border:1.5px solid currentColor;vertical-align:.18em;white-space:nowrap}\
.unknown{color:var(--soft)}.ok{color:var(--ok)}.warn{color:var(--warn)}.error{color:var(--error)}\
h1 .badge{font-size:.9rem;margin-left:.7rem;vertical-align:.32em;letter-spacing:0}\
.keys{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.6rem,1fr));gap:0;margin:1.8rem 0 0;\
border-top:1px solid var(--line)}\
.key{padding:.9rem 1rem .9rem 0;border-bottom:1px solid var(--line)}\
.key b{display:block;font:650 1.75rem/1.15 ui-sans-serif,system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;\
letter-spacing:-.02em;font-variant-numeric:tabular-nums}\
.key span{color:var(--soft);font-size:.82rem}\
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,29rem),1fr));gap:1.1rem}\
.three{grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr))}\
figure,.card{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.6rem;\
padding:1rem 1.1rem;min-width:0;break-inside:avoid}\
svg{display:block;width:100%;height:auto;overflow:visible}\
.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}\
.good{fill:var(--good)}.bad{fill:var(--bad)}.none{fill:var(--none)}\
circle.good,circle.none{fill-opacity:.62}path.bad{stroke:var(--bad);stroke-width:1.8;fill:none}\
rect.cell{stroke:none}\
.grid line.grid,line.grid{stroke:var(--line)}line.base{stroke:var(--soft)}\
line.span{stroke:var(--good);stroke-width:5;stroke-linecap:round;opacity:.35}circle.point{fill:var(--good)}\
line.bound{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:4 3}line.scale{stroke:var(--ink);stroke-width:2}\
.tick,.unit,.mark{font-size:11px;fill:var(--soft);font-variant-numeric:tabular-nums}.mark{fill:var(--ink)}\
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:.3rem 0 .5rem;padding:0;font-size:.82rem;\
color:var(--soft)}\
.legend i{display:inline-block;width:.75rem;height:.75rem;border-radius:2px;margin-right:.4rem;vertical-align:-.06rem}\
i.c1,i.good{background:var(--c1)}i.c2{background:var(--c2)}i.c3{background:var(--c3)}i.c4{background:var(--c4)}\
i.c5{background:var(--c5)}i.none{background:var(--none)}\
i.bad{background:none;position:relative}i.bad::before{content:'×';position:absolute;inset:-.62rem 0 0 -.08rem;\
font-size:1.3rem;color:var(--bad);line-height:1.6rem;font-style:normal}\
i.box{background:var(--bad)}\
.scroll{overflow-x:auto}\
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}\
th{font-weight:600;font-size:.8rem;color:var(--soft)}\
th,td{padding:.34rem .8rem .34rem 0;text-align:right;vertical-align:top;border-bottom:1px solid var(--line)}\
th:first-child,td:first-child{text-align:left}th:last-child,td:last-child{padding-right:0}\
tbody tr:last-child>*{border-bottom:0}\
.words td,.words th{text-align:left}.words td.n,.words th.n{text-align:right}\
.words td{overflow-wrap:break-word}td.tight,th.tight{white-space:nowrap;overflow-wrap:normal!important}\
td svg{width:10rem;min-width:8rem;display:inline-block;vertical-align:middle}\
.ranked table{table-layout:fixed;margin-top:.5rem}.ranked th{width:38%;color:var(--ink);font-weight:450;\
overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:.86rem}\
.ranked td:nth-child(2){width:auto}.ranked td:nth-child(3){width:5rem}\
.ranked b{display:block;height:.72rem;background:var(--c1);border-radius:2px;margin-top:.36rem;min-width:1px}\
.ranked tr>*{border-bottom:0;padding-top:.16rem;padding-bottom:.16rem}\
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
details{margin-top:.5rem}summary{font-size:.8rem;color:var(--soft);cursor:pointer}\
details .scroll{max-height:18rem;overflow-y:auto}\
.empty{color:var(--soft);font-style:italic;margin:.3rem 0}\
code{font:.86em ui-monospace,'SF Mono',Menlo,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}\
footer{margin-top:3rem;color:var(--soft);font-size:.8rem;border-top:1px solid var(--line);padding-top:.8rem}\
@media(max-width:40rem){main{padding:1.4rem .9rem 3rem}h1{font-size:1.55rem}.key b{font-size:1.4rem}\
figure,.card{padding:.8rem .8rem}.keys{grid-template-columns:1fr 1fr}h1 .badge{margin-left:0}\
.tick,.unit,.mark{font-size:15px}}\
@media print{body{background:#fff;font-size:11pt}main{max-width:none;padding:0}details{display:none}\
h2{break-after:avoid}figure,.card{border-color:#bbb}}\
";
