export const referenceStyle = `
:root {
  --page: #fffdfa; --side: #f7f2eb; --ink: #241f2b; --soft: #655d70; --hair: #e9e1d8; --tint: #f6f1ea;
  --accent: #1f6b5c; --accent-back: #e0efea; --glow: #e8b94f;
  --panel: #251f2d; --panel-line: #3a3244; --panel-ink: #efe8f2; --panel-soft: #b3a6bd;
  --syntax-key: #e9c989; --syntax-string: #9ed7b4; --syntax-other: #f2a98b;
  --get: #2a55b8; --get-back: #e7edfb; --post: #14643f; --post-back: #e1f3e8;
  --patch: #805300; --patch-back: #faeecd; --delete: #a3261d; --delete-back: #fde9e6;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #17141b; --side: #1d1922; --ink: #f1ebf2; --soft: #b5abba; --hair: #352e3b; --tint: #241f2a;
    --accent: #84c9b6; --accent-back: #1d3832; --glow: #e8b94f;
    --panel: #0f0c13; --panel-line: #332b3b; --panel-ink: #efe8f2; --panel-soft: #a598b0;
    --get: #a8c2ff; --get-back: #1f2c4d; --post: #83dbac; --post-back: #17382a;
    --patch: #f3cc7c; --patch-back: #3b2f14; --delete: #ffaba1; --delete-back: #43201d;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { color-scheme: light dark; scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere;
  font: .9375rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
}
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: from-font; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
[hidden] { display: none !important; }
h1, h2, h3, p, dl, dd, ul, figure, pre { margin: 0; }
h1, h2, h3 { line-height: 1.2; letter-spacing: -.015em; text-wrap: balance; }
h2 a { color: inherit; text-decoration: none; }
h2 a:hover::after { content: " #"; color: var(--accent); }
code, pre, kbd, var { font-family: var(--mono); font-style: normal; }
code { font-size: .865em; }
th a:has(code), td a:has(code), p a:has(code), li a:has(code) { text-decoration: none; }
a:hover > code { text-decoration: underline; }
p code, td code, .description li code { padding: .1em .32em; border-radius: .3em; background: var(--tint); }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 9; padding: .5rem 1rem; background: var(--page); }

.bar { display: none; }
.brand { display: flex; align-items: center; gap: .55rem; color: var(--ink); font-weight: 700; text-decoration: none; }
.brand svg { width: 1.35rem; height: 1.35rem; fill: var(--accent); }
.brand span { color: var(--soft); font-weight: 400; font-size: .8125rem; }
.button {
  padding: .4rem .9rem; border: 1px solid var(--hair); border-radius: 9rem; color: var(--ink); background: var(--page);
  font-size: .875rem; font-weight: 600; text-decoration: none;
}

nav {
  position: fixed; inset: 0 auto 0 0; width: 18.5rem; overflow-y: auto; overscroll-behavior: contain; padding-bottom: 3rem;
  background: var(--side); border-right: 1px solid var(--hair); scrollbar-width: thin;
}
nav .head { position: sticky; top: 0; z-index: 1; padding: 1.25rem 1.25rem .75rem; background: var(--side); }
nav .head .button { display: none; }
.search { position: relative; display: block; margin-top: 1rem; }
.search input {
  width: 100%; padding: .5rem .75rem; border: 1px solid var(--hair); border-radius: .6rem;
  background: var(--page); color: inherit; font: inherit; font-size: .875rem;
}
.search input::-webkit-search-cancel-button { filter: grayscale(1); }
.search input::placeholder { color: var(--soft); opacity: 1; }
.search kbd {
  position: absolute; right: .6rem; top: 50%; translate: 0 -50%; padding: 0 .42rem; border: 1px solid var(--hair);
  border-radius: .3rem; color: var(--soft); font-size: .75rem;
}
.search input:focus + kbd, .search input:not(:placeholder-shown) + kbd { display: none; }
nav ul, nav ol { margin: 0; padding: 0; list-style: none; }
nav h2 { padding: 1rem 1.25rem .3rem; color: var(--soft); font-size: .75rem; font-weight: 600; letter-spacing: 0; }
nav .pages > section:first-child h2 { padding-top: .25rem; }
nav li a {
  display: flex; align-items: baseline; gap: .5rem; padding: .24rem 1.25rem; color: var(--ink);
  font-size: .84375rem; line-height: 1.45; text-decoration: none;
}
nav li a:hover { color: var(--accent); }
nav .pages a[aria-current=page] { font-weight: 650; color: var(--accent); }
nav .anchors { margin: .1rem 0 .5rem 1.25rem; border-left: 1px solid var(--hair); }
nav .anchors a { padding: .2rem 1rem .2rem .75rem; color: var(--soft); font-size: .8125rem; }
nav .anchors a:hover { color: var(--ink); }
nav .anchors a[aria-current] { color: var(--ink); background: var(--accent-back); box-shadow: inset 2px 0 var(--accent); }
nav .verb { flex: none; width: 2.6rem; padding: 0; background: none; font-size: .5938rem; }
nav .search-results li a { padding-block: .4rem; }
nav .search-results a:focus-visible { outline-offset: -2px; }
nav .search-results small { display: block; color: var(--soft); font-size: .75rem; }
nav .no-results { padding: .75rem 1.25rem; color: var(--soft); font-size: .875rem; }

main { margin-left: 18.5rem; padding: 0 clamp(1.25rem, 3.2vw, 3.5rem) 6rem; }
main > section { max-width: 76rem; margin-inline: auto; }
.lead { color: var(--soft); font-size: 1.0625rem; line-height: 1.5; text-wrap: pretty; }
main:focus { outline: 0; }
.introduction { padding: 4rem 0 1rem; }
.introduction h1 { font-size: clamp(2.25rem, 5vw, 3.25rem); letter-spacing: -.035em; font-weight: 750; }
.introduction .lead { max-width: 40rem; margin: .75rem 0 1rem; font-size: 1.25rem; }
.introduction p { max-width: 44rem; text-wrap: pretty; }
.introduction ol { display: flex; flex-wrap: wrap; gap: .5rem 0; margin: 1.75rem 0 0; padding: 0; list-style: none; }
.introduction li { display: flex; align-items: center; }
.introduction li a {
  padding: .36rem .8rem; border: 1px solid var(--hair); border-radius: 9rem; background: var(--side); color: var(--ink);
  font-size: .84375rem; font-weight: 600; text-decoration: none;
}
.introduction li a:hover { border-color: var(--accent); color: var(--accent); }
.introduction li:not(:last-child)::after { content: ""; width: .9rem; height: 1px; background: var(--soft); opacity: .5; }
.introduction dl { display: flex; flex-wrap: wrap; gap: 1rem 3rem; margin-top: 2rem; padding-top: 1.25rem; border-top: 1px solid var(--hair); }
.introduction dt { color: var(--soft); font-size: .8125rem; }
.introduction dd { font-weight: 600; }
.chapter { padding-top: 4rem; }
.chapter > h1 { font-size: clamp(1.875rem, 4vw, 2.5rem); letter-spacing: -.03em; }
.chapter > .lead { max-width: 44rem; margin-top: .5rem; }
.routes { columns: 2 24rem; column-gap: 2rem; margin-top: 1.5rem; padding: .9rem 1.1rem; border: 1px solid var(--hair); border-radius: .75rem; list-style: none; }
.routes a { display: flex; align-items: baseline; gap: .65rem; padding: .15rem 0; break-inside: avoid; color: var(--ink); text-decoration: none; }
.routes a:hover code { color: var(--accent); text-decoration: underline; text-underline-offset: .2em; }
.routes .verb { width: 3.75rem; text-align: center; }
.index { padding-top: 3rem; }
.index > h2 { font-size: 1.375rem; }
.cards { columns: 3 19rem; column-gap: 1.25rem; margin-top: 1rem; }
.card { break-inside: avoid; margin-bottom: 1.25rem; padding: 1.1rem 1.25rem 1.15rem; border: 1px solid var(--hair); border-radius: .85rem; }
.card h3 { font-size: 1rem; }
.card h3 a { color: var(--ink); text-decoration: none; }
.card h3 a:hover { color: var(--accent); }
.card p { margin-top: .2rem; color: var(--soft); font-size: .84375rem; line-height: 1.5; text-wrap: pretty; }
.card ul { margin-top: .65rem; padding: .55rem 0 0; border-top: 1px solid var(--hair); list-style: none; }
.card li a { display: flex; align-items: baseline; gap: .5rem; padding: .14rem 0; color: var(--ink); font-size: .8125rem; line-height: 1.45; text-decoration: none; }
.card li a:hover { color: var(--accent); }
.card .verb { width: 2.5rem; padding: 0; background: none; font-size: .5938rem; }
.pager { display: flex; justify-content: space-between; gap: 1rem; max-width: 76rem; margin: 4rem auto 0; padding-top: 1.5rem; border-top: 1px solid var(--hair); }
.pager a { font-weight: 600; text-decoration: none; }
.pager a:hover { text-decoration: underline; }
.pager a[rel=next] { margin-left: auto; text-align: right; }
.pager span { display: block; color: var(--soft); font-size: .8125rem; font-weight: 400; }
tr[id]:target { background: var(--accent-back); }
.catalogue .wide { margin-top: 1.5rem; }
.operation, .object, .topic {
  display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); column-gap: clamp(1.5rem, 3vw, 3rem); align-items: start;
  margin-top: 2.25rem; padding-top: 2.25rem; border-top: 1px solid var(--hair);
}
.topic.plain { grid-template-columns: minmax(0, 60rem); }
.chapter h2 { font-size: 1.25rem; }
h3 + .members { margin-top: .35rem; }
.description h3 { letter-spacing: 0; margin-top: 1.5rem; padding-bottom: .35rem; border-bottom: 1px solid var(--hair); font-size: .875rem; }
.description h3 a, .description h3 span { margin-left: .35rem; font-weight: 400; }
.description h3 span { color: var(--soft); }
.description > :is(ol, ul) { margin: .75rem 0 0; padding-left: 1.35rem; max-width: 42rem; }
.description > :is(ol, ul) li { margin-top: .25rem; }
.description > p { margin-top: .75rem; max-width: 42rem; text-wrap: pretty; }
.description > .route { display: flex; align-items: baseline; gap: .6rem; margin-top: .55rem; }
.route code { font-size: .875rem; }
.route var { color: var(--accent); }
.verb {
  flex: none; padding: .16rem .5rem; border-radius: .35rem; font: 700 .6875rem/1.3 var(--mono); letter-spacing: .02em;
}
.get { color: var(--get); background: var(--get-back); }
.post { color: var(--post); background: var(--post-back); }
.put, .patch { color: var(--patch); background: var(--patch-back); }
.delete { color: var(--delete); background: var(--delete-back); }
.access { position: relative; padding-left: 1.5rem; color: var(--soft); }
.access::before {
  content: ""; position: absolute; left: .1rem; top: .42em; width: .75rem; height: .75rem; border: 2px solid var(--accent); border-radius: 50%;
}
.access.permission::before, .access.authenticated::before { background: var(--accent); }
dl.access { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem .9rem; margin-top: 1rem; padding: .7rem .95rem; border-radius: .65rem; background: var(--tint); font-size: .84375rem; line-height: 1.55; }
dl.access::before { content: none; }
dl.access a { color: inherit; }
dl.access dt a { text-decoration: none; }
dl.access dt a:hover { text-decoration: underline; }
dl.access dd { color: var(--ink); }
.side-note, .common-errors { color: var(--soft); font-size: .875rem; }

table { width: 100%; border-collapse: collapse; }
th { font-weight: inherit; text-align: left; }
th, td { vertical-align: top; }
.members tr + tr { border-top: 1px solid var(--hair); }
.members th { width: 38%; padding: .6rem 1rem .6rem 0; line-height: 1.5; }
.members th code { display: block; font-size: .84375rem; font-weight: 600; }
.members th em { display: block; color: var(--delete); font-size: .75rem; font-style: normal; }
.members td { padding: .6rem 0; font-size: .875rem; line-height: 1.5; }
.members td p { color: var(--soft); }
.members th span { color: var(--soft); font-size: .8125rem; }
.members small { font-size: .8125rem; color: var(--soft); }
.members .members { margin-top: .35rem; padding-left: .75rem; border-left: 2px solid var(--hair); display: block; }
.members.errors th { width: 3.5rem; }
.errors th b { color: var(--delete); font: 600 .84375rem var(--mono); }
.choices { display: flex; flex-wrap: wrap; gap: .25rem; padding-top: .15rem; }
.choices code, .members small code { padding: .05em .35em; border-radius: .3em; background: var(--tint); font-size: .78125rem; }
.choices .free { text-decoration: underline; text-underline-offset: .2em; text-decoration-color: var(--accent); text-decoration-thickness: 2px; }
.common-errors span { display: inline-block; margin-right: .9rem; font: .75rem/1.7 var(--mono); }
.common-errors b { color: var(--ink); font-weight: 600; }
.wide { overflow-x: auto; margin-top: 1rem; border: 1px solid var(--hair); border-radius: .75rem; }
.wide th, .wide td { padding: .5rem .9rem; font-size: .875rem; overflow-wrap: normal; }
.wide thead th { background: var(--tint); font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.wide tbody tr { border-top: 1px solid var(--hair); }
.wide tbody th code { font-weight: 600; padding: 0; background: none; white-space: nowrap; }
.wide em { color: var(--soft); font-style: normal; }

.samples { position: sticky; top: 1.5rem; display: grid; gap: 1rem; min-width: 0; }
.sample { overflow: hidden; border-radius: .85rem; background: var(--panel); color: var(--panel-ink); }
.sample figcaption {
  display: flex; align-items: center; justify-content: space-between; gap: .75rem; min-height: 2.3rem; padding: .2rem .5rem .2rem 1rem;
  border-bottom: 1px solid var(--panel-line); color: var(--panel-soft); font-size: .78125rem; font-weight: 600;
}
.sample button {
  flex: none; padding: .2rem .65rem; border: 0; border-radius: .4rem; background: none; color: inherit; font: inherit;
  white-space: nowrap; cursor: pointer;
}
.sample button:hover { background: var(--panel-line); color: var(--panel-ink); }
.sample button:focus-visible, .sample pre:focus-visible { outline-color: var(--glow); outline-offset: -2px; }
.sample pre {
  max-height: 34rem; overflow: auto; padding: .85rem 1rem 1rem; font-size: .78125rem; line-height: 1.62; overflow-wrap: normal;
  white-space: pre; tab-size: 2; scrollbar-width: thin; scrollbar-color: var(--panel-line) transparent;
}
.wraps pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.wraps pre span { word-break: break-all; }
.sample b { color: var(--syntax-key); font-weight: 400; }
.sample i { color: var(--syntax-string); font-style: normal; }
.sample s { color: var(--panel-soft); text-decoration: none; }
.sample a { color: var(--panel-ink); }
.sample u { color: var(--syntax-other); text-decoration: none; }
.nothing { padding: .7rem 1rem; border: 1px dashed var(--hair); border-radius: .85rem; color: var(--soft); font-size: .875rem; }
.nothing b { color: var(--ink); font-family: var(--mono); }

@media (max-width: 70rem) {
  .operation, .object, .topic { grid-template-columns: minmax(0, 1fr); }
  .samples { position: static; margin-top: 1.25rem; }
  .sample pre { max-height: 26rem; }
}
@media (max-width: 50rem) {
  html { scroll-padding-top: 4.5rem; }
  .bar {
    position: sticky; top: 0; z-index: 2; display: flex; align-items: center; justify-content: space-between;
    padding: .6rem 1.25rem; background: var(--page); border-bottom: 1px solid var(--hair);
  }
  nav { display: none; z-index: 3; width: auto; right: 0; border: 0; }
  nav:target { display: block; }
  nav .head { display: grid; grid-template-columns: 1fr auto; align-items: center; padding-top: .6rem; }
  nav .head .button { display: block; }
  nav .head .search { grid-column: 1 / -1; margin-top: .75rem; }
  .search kbd { display: none; }
  .search input { font-size: 1rem; }
  nav li a, nav .anchors a { padding-block: .5rem; font-size: .9375rem; }
  main { margin-left: 0; }
  .introduction { padding-top: 2.5rem; }
  .chapter { padding-top: 3rem; }
  .members th { width: 42%; padding-right: .75rem; }
  .wide thead { position: absolute; clip-path: inset(50%); }
  .wide tr { display: block; padding: .6rem .9rem; }
  .wide tbody tr:first-child { border-top: 0; }
  .wide th, .wide td { padding: 0; }
  .wide td:empty { display: none; }
  .wide tbody th code { white-space: normal; }
  .wide td:not(:first-child) { display: block; padding-top: .1rem; }
  .wide td:first-child { display: inline-block; min-width: 2.75rem; color: var(--soft); }
  .wide td[data-label]::before { content: attr(data-label) " "; color: var(--soft); }
}
@media print {
  :root { --panel: #f6f1ea; --panel-line: #e9e1d8; --panel-ink: #241f2b; --panel-soft: #655d70; --syntax-key: #1d3f8f; --syntax-string: #14643f; --syntax-other: #8a3b12; }
  body { font-size: 9.5pt; background: #fff; }
  nav, .bar, .skip, .sample button { display: none !important; }
  main { margin: 0; padding: 0; }
  .operation, .object, .topic { grid-template-columns: minmax(0, 1fr); margin-top: 1rem; padding-top: 1rem; }
  .samples { position: static; margin-top: .75rem; }
  .sample pre { max-height: none; white-space: pre-wrap; overflow-wrap: anywhere; }
  .wide { overflow: visible; }
  .wide tbody th code { white-space: normal; }
  h2, h3, .route, figcaption { break-after: avoid; }
  tr, .sample { break-inside: avoid; }
}
`;
