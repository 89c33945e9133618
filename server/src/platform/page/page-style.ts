export const pageStyle = `
:root {
  --page: #f6f1ea; --card: #ffffff; --ink: #241f2b; --soft: #655d70; --line: #8c8496; --hair: #e9e1d8;
  --bad: #a3261d; --bad-back: #fdeeec; --good: #14643f; --good-back: #e3f4ea; --idle: #6a4a09; --idle-back: #fbf0d6;
  --wall: color-mix(in oklab, var(--brand) 16%, #f6ecdf); --wall-line: color-mix(in oklab, var(--brand) 22%, #e2d3bf);
  --floor: color-mix(in oklab, var(--brand) 9%, #d3b592); --frame: #fffaf2; --leaf: color-mix(in oklab, var(--brand) 82%, #2b2233);
  --leaf-line: color-mix(in oklab, var(--brand) 60%, #1d1726); --glow-top: #fff3cf; --glow-low: #ffd98a; --halo: #fff3d6;
  --spill: #fff0c4; --iron: #3a3142; --brass: #e8b94f; --pot: #b9653f; --leaves: #4d7a57; --night: #6d6078;
  --shadow: 0 1px 2px rgb(60 40 20 / 8%), 0 18px 50px rgb(60 40 20 / 14%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #16131a; --card: #211d24; --ink: #f5eff5; --soft: #b8aebd; --line: #857b8c; --hair: #37303d;
    --bad: #ffaba1; --bad-back: #43201d; --good: #83dbac; --good-back: #17382a; --idle: #f3cc7c; --idle-back: #3b2f14;
    --wall: color-mix(in oklab, var(--brand) 24%, #1d1924); --wall-line: color-mix(in oklab, var(--brand) 32%, #2a2431);
    --floor: color-mix(in oklab, var(--brand) 14%, #2a211f); --frame: color-mix(in oklab, var(--brand) 18%, #54495a);
    --leaf: color-mix(in oklab, var(--brand) 62%, #241c2b); --leaf-line: color-mix(in oklab, var(--brand) 40%, #15101b);
    --glow-top: #ffe9b0; --glow-low: #ffbf5e; --halo: #ffcf7a; --spill: #ffcf7a; --iron: #0c0a0f; --pot: #8d4a2e;
    --leaves: #3f6b4c; --night: #3a3244;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 18px 50px rgb(0 0 0 / 45%);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column;
  background: var(--page); color: var(--ink); font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", sans-serif;
}
.platform {
  display: flex; align-items: center; gap: .65rem; padding: 1rem max(1.25rem, calc(50% - 32rem)); font-weight: 650;
  overflow-wrap: anywhere;
}
.mark { flex: none; width: 1.5rem; height: 1.5rem; fill: var(--accent-text); }
.logo { display: block; height: 2rem; max-width: 9rem; object-fit: contain; }
main { width: 100%; flex: 1; display: flex; flex-direction: column; }
footer { padding: 1rem 1.25rem 1.5rem; text-align: center; }
footer a, .languages span { display: inline-block; padding: .4rem .6rem; }
.languages { display: flex; flex-wrap: wrap; justify-content: center; font-size: .925rem; }
.languages span { font-weight: 650; }
footer > a + .languages { margin-top: .25rem; }
a { color: var(--accent-text); }
p, h1, h2 { margin: 0; overflow-wrap: anywhere; }
.front { flex: 1; display: flex; flex-direction: column; width: 100%; }
.hero { height: clamp(11rem, 34vh, 19rem); overflow: hidden; background: var(--wall); }
.hero img, .illustration { display: block; width: 100%; height: 100%; object-fit: cover; }
.card {
  position: relative; flex: 1; margin-top: -1.75rem; padding: 1.75rem 1.25rem 2rem; background: var(--card);
  border-radius: 1.75rem 1.75rem 0 0; box-shadow: var(--shadow);
}
.state {
  display: inline-flex; align-items: center; gap: .5rem; margin-bottom: 1rem; padding: .15rem .8rem; border-radius: 9rem;
  font-size: .9rem; font-weight: 600; background: var(--idle-back); color: var(--idle);
}
.state::before { content: ""; width: .5rem; height: .5rem; border-radius: 50%; background: currentColor; }
.state.is-open { background: var(--good-back); color: var(--good); }
.state.is-closed { background: var(--bad-back); color: var(--bad); }
.lead { color: var(--soft); font-weight: 500; }
h1 { font-size: clamp(1.75rem, 7.5vw, 2.5rem); line-height: 1.12; letter-spacing: -.022em; font-weight: 750; text-wrap: balance; }
.lead + h1 { margin-top: .15rem; }
h1 + p { margin-top: .65rem; }
h1 + p + .soft { margin-top: .75rem; }
.soft, .hint { color: var(--soft); }
.small { margin-top: 1.5rem; font-size: .875rem; }
.alert { margin-top: 1.25rem; padding: .8rem 1rem; border-radius: .9rem; background: var(--bad-back); color: var(--bad); font-weight: 550; }
form { margin-top: 1.5rem; display: grid; gap: 1.25rem; }
label { display: block; margin-bottom: .35rem; font-weight: 650; }
input {
  display: block; width: 100%; min-height: 3.25rem; padding: .6rem 1rem; border: 1.5px solid var(--line);
  border-radius: .9rem; background: transparent; color: inherit; font: inherit;
}
input.code { letter-spacing: .12em; text-transform: uppercase; font-variant-numeric: tabular-nums; }
.is-wrong input { border-color: var(--bad); border-width: 2px; }
.error { margin-top: .4rem; color: var(--bad); font-weight: 550; }
.hint { margin-top: .35rem; font-size: .925rem; }
button, .button {
  display: flex; align-items: center; justify-content: center; width: 100%; min-height: 3.5rem; padding: .6rem 1.5rem;
  border: 1.5px solid var(--accent-text); border-radius: .9rem; background: var(--accent); color: var(--accent-ink); font: inherit; font-size: 1.125rem;
  font-weight: 650; text-align: center; text-decoration: none; cursor: pointer; transition: filter .15s, transform .15s;
}
.button { margin-top: 1.5rem; }
.button.quiet, button.quiet { background: transparent; color: var(--accent-text); border-color: var(--line); }
button:hover, .button:hover { filter: brightness(1.07); }
button:active, .button:active { transform: translateY(1px); }
button:disabled { opacity: .75; cursor: progress; }
:focus-visible { outline: 3px solid var(--accent-text); outline-offset: 2px; }
.recordings { margin-top: 1.5rem; }
.recordings h2 { font-size: 1rem; font-weight: 650; }
.recordings ul { margin: .35rem 0 0; padding: 0; list-style: none; border-block: 1px solid var(--hair); }
.recordings li { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; padding: .55rem .15rem; overflow-wrap: anywhere; }
.recordings li + li { border-top: 1px solid var(--hair); }
.recordings a { padding: .3rem 0; font-weight: 600; }
.recordings span, .recordings time { color: var(--soft); font-weight: 400; font-size: .925rem; }
.recordings time { margin-inline-start: auto; }
.devices { margin-top: 1.5rem; padding: 1rem 1.15rem; border: 1px solid var(--hair); border-radius: 1.1rem; color: var(--soft); font-size: .925rem; }
.devices h2 { font-size: .975rem; font-weight: 650; color: var(--ink); }
.devices ul { display: flex; flex-wrap: wrap; gap: .15rem 1.25rem; margin: .35rem 0 0; padding: 0; list-style: none; }
.devices ul:empty { display: none; }
.devices li::before { content: ""; display: inline-block; width: .55rem; height: .55rem; margin-inline-end: .5rem; border-radius: 50%; background: var(--line); }
.devices li.is-found::before { background: var(--good); }
.devices p { margin-top: .35rem; }
.about { margin-top: 2rem; padding-top: 1.5rem; border-top: 1px solid var(--hair); }
.about h2 { font-size: 1rem; font-weight: 650; }
.about p { margin-top: .35rem; color: var(--soft); white-space: pre-line; max-width: 65ch; }
.waiting-as { display: flex; align-items: center; gap: .8rem; margin-top: 1.5rem; color: var(--soft); }
.dots { display: inline-flex; gap: .35rem; }
.dots i { width: .55rem; height: .55rem; border-radius: 50%; background: var(--accent-text); animation: breathe 1.5s ease-in-out infinite; }
.dots i:nth-child(2) { animation-delay: .2s; }
.dots i:nth-child(3) { animation-delay: .4s; }
@keyframes breathe { 0%, 70%, 100% { opacity: .3; } 35% { opacity: 1; } }

.person {
  display: grid; grid-template-columns: auto 1fr auto; align-items: center; gap: .25rem .9rem; padding: .75rem 1rem;
  border: 1px solid var(--hair); border-radius: 1.1rem;
}
.initial {
  display: grid; place-items: center; width: 2.75rem; height: 2.75rem; border-radius: 50%; font-weight: 700;
  background: var(--accent); color: var(--accent-ink);
}
.who { display: grid; min-width: 0; line-height: 1.3; }
.who span { color: var(--soft); font-size: .925rem; }
.who > * { overflow-wrap: anywhere; }
button.link {
  width: auto; min-height: 2.75rem; padding: .4rem .6rem; border: 0; background: transparent; color: var(--accent-text);
  font-size: .95rem; text-decoration: underline; text-underline-offset: .2em;
}
.is-signed-in { grid-template-columns: auto 1fr; row-gap: 0; padding-bottom: .35rem; }
.is-signed-in button.link { grid-column: 2; justify-self: start; padding-inline: 0; text-align: start; }
@media (min-width: 30rem) {
  .is-signed-in { grid-template-columns: auto 1fr auto; padding-bottom: .75rem; }
  .is-signed-in button.link { grid-column: auto; }
}
.hint.sign-in { margin-top: .9rem; text-align: center; }
.sign-in a { display: inline-block; padding: .3rem .15rem; font-weight: 600; }
p + .sign-in { text-align: start; }
form > .hint.sign-in { margin-top: -.4rem; }
.scopes { margin: 1.5rem 0 0; padding: 0; list-style: none; border-block: 1px solid var(--hair); }
.scopes li {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: .1rem 1rem; padding: .7rem .15rem;
}
.scopes li + li { border-top: 1px solid var(--hair); }
.scopes strong { font-weight: 600; }
.scopes span { color: var(--soft); }
.scopes + .hint { margin-top: .8rem; }
.room-list { margin: 1.5rem 0 0; }
.room-list h2 { font-size: 1rem; font-weight: 650; }
.room-list ul { margin: .6rem 0 0; padding: 0; list-style: none; border-block: 1px solid var(--hair); }
.room-list li + li { border-top: 1px solid var(--hair); }
.room-list a { display: block; padding: .8rem .15rem; font-weight: 600; overflow-wrap: anywhere; }
.choice { display: grid; gap: .75rem; }
@media (min-width: 30rem) { .choice { grid-template-columns: 1fr 1fr; } }
@media (max-width: 51.99rem) {
  .front:has(form, .waiting-as) .hero { height: clamp(6rem, 15vh, 13rem); }
  .front:has(form, .waiting-as) .illustration { width: 60%; margin: auto; overflow: visible; }
}

.wall { fill: var(--wall); } .floor { fill: var(--floor); } .frame, .step { fill: var(--frame); }
.panel { fill: none; stroke: var(--wall-line); stroke-width: 3; }
.inside { fill: url(#inside); } .glow-top { stop-color: var(--glow-top); } .glow-low { stop-color: var(--glow-low); }
.spill { fill: url(#spill); } .spill-near { stop-color: var(--spill); stop-opacity: .9; } .spill-far { stop-color: var(--spill); stop-opacity: .05; }
.halo { fill: url(#halo); } .halo-in { stop-color: var(--halo); stop-opacity: .75; } .halo-out { stop-color: var(--halo); stop-opacity: 0; }
.leaf { fill: var(--leaf); } .moulding { fill: none; stroke: var(--leaf-line); stroke-width: 2; } .bar { stroke: var(--leaf-line); stroke-width: 4; }
.knob { fill: var(--brass); } .iron { fill: var(--iron); stroke: var(--iron); stroke-width: 2; } .flame { fill: var(--glow-low); }
.pot { fill: var(--pot); } .leaves { fill: var(--leaves); }
.is-notStarted .halo { opacity: .55; } .is-closed .halo { opacity: 0; } .is-closed .lamp-halo { opacity: .7; }
.is-closed .inside { fill: var(--night); }
.is-open .halo { animation: glow 5s ease-in-out infinite alternate; }
@keyframes glow { from { opacity: .75; } to { opacity: 1; } }

@media (min-width: 52rem) {
  main { padding: 1rem 1.5rem 3rem; justify-content: center; }
  .front {
    flex: none; flex-direction: row; max-width: 64rem; margin: auto; min-height: 34rem; background: var(--card);
    border-radius: 2rem; overflow: clip; box-shadow: var(--shadow);
  }
  .hero {
    width: 46%; height: auto; flex: none; position: relative; overflow: clip; display: flex; flex-direction: column;
    justify-content: flex-end;
  }
  .hero img { position: absolute; inset: 0; }
  .illustration { position: sticky; bottom: 0; flex: none; height: auto; aspect-ratio: 4 / 5; overflow: visible; }
  .card {
    margin: 0; padding: 3rem; border-radius: 0; box-shadow: none; display: flex; flex-direction: column;
    justify-content: center; min-width: 0;
  }
  .state { align-self: flex-start; }
}
@media (prefers-reduced-motion: reduce) {
  *, *::before { animation: none !important; transition: none !important; }
  .dots i { opacity: .8; }
}
@media (forced-colors: active) {
  button, .button, input, .card { border: 1px solid; }
}
@media (prefers-contrast: more) { :root { --soft: var(--ink); --line: var(--ink); } }
`;
