export const clientStyle = `
:root {
  --back: #f4f5fb; --card: #ffffff; --ink: #191b2a; --soft: #5b6078; --line: #e3e5f0;
  --accent: #4f46e5; --accent-ink: #ffffff; --accent-back: #eceafd; --good: #0b6b4c; --good-back: #e2f5ee;
  --bad: #b3261e; --bad-back: #fdecea; --shadow: 0 1px 2px rgb(25 27 42 / 6%), 0 12px 32px rgb(25 27 42 / 8%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f111a; --card: #191c29; --ink: #eef0fa; --soft: #a3a9c2; --line: #2b2f42;
    --accent: #8b85ff; --accent-ink: #11121c; --accent-back: #26254a; --good: #5fd6a8; --good-back: #14352a;
    --bad: #ff9c93; --bad-back: #3d1d1b; --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px rgb(0 0 0 / 35%);
  }
}
*, *::before { box-sizing: border-box; }
[hidden] { display: none !important; }
html { color-scheme: light dark; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column;
  background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
}
.bar {
  display: flex; align-items: center; gap: .7rem; padding: .9rem 1.2rem; font-weight: 600; color: var(--soft);
}
.bar img { display: block; }
main { width: 100%; max-width: 44rem; margin: auto; padding: .5rem 1rem 2rem; display: grid; gap: 1rem; }
footer { padding: 1rem; text-align: center; font-size: .85rem; color: var(--soft); }
.banner { margin: 0; padding: .7rem 1.1rem; border-radius: .9rem; background: var(--accent-back); font-weight: 600; }
.card {
  min-width: 0; background: var(--card); border: 1px solid var(--line); border-radius: 1.3rem; padding: 1.4rem;
  box-shadow: var(--shadow);
}
.hero { padding: clamp(1.5rem, 5vw, 2.6rem); }
h1 { margin: .5rem 0 0; font-size: 1.05rem; font-weight: 500; color: var(--soft); }
h1 strong {
  display: block; margin-top: .1rem; color: var(--ink); font-size: clamp(1.7rem, 6vw, 2.5rem); line-height: 1.15;
  font-weight: 700; letter-spacing: -.02em; overflow-wrap: anywhere; text-wrap: balance;
}
h1:not(:has(strong)) { color: var(--ink); font-size: clamp(1.5rem, 5vw, 2.1rem); font-weight: 700; line-height: 1.2; }
h2 { margin: 0 0 .7rem; font-size: 1rem; display: flex; align-items: center; gap: .5rem; }
p { margin: 0; }
.status {
  display: inline-flex; align-items: center; gap: .5rem; padding: .2rem .8rem; border-radius: 99rem;
  background: var(--accent-back); color: var(--accent); font-size: .85rem; font-weight: 600;
}
.status::before { content: ""; width: .55rem; height: .55rem; border-radius: 50%; background: currentColor; }
.status.is-joined { background: var(--good-back); color: var(--good); }
.you { margin-top: .7rem; color: var(--soft); overflow-wrap: anywhere; }
.you b { color: var(--ink); }
.recording { margin-top: .8rem; color: var(--bad); font-weight: 600; }
.recording::before {
  content: ""; display: inline-block; width: .65rem; height: .65rem; margin-right: .5rem; border-radius: 50%;
  background: currentColor;
}
.note {
  margin-top: 1.1rem; padding-left: .9rem; border-left: 3px solid var(--line); color: var(--soft);
  overflow-wrap: anywhere;
}
.message { white-space: pre-line; }
.note b { color: var(--ink); }
.problem { border-color: var(--bad); }
.problem b { display: block; color: var(--bad); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.actions { display: flex; flex-wrap: wrap; gap: .7rem; margin-top: 1.6rem; }
.actions:not(:has(*)) { display: none; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 2.75rem; padding: .4rem 1.2rem;
  border: 1px solid var(--line); border-radius: .8rem; background: transparent; color: var(--ink);
  font: inherit; font-weight: 600; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { border-color: var(--accent); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
button.primary:hover { filter: brightness(1.08); }
button.danger { color: var(--bad); }
button.danger:hover { border-color: var(--bad); background: var(--bad-back); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.count {
  min-width: 1.6rem; padding: 0 .5rem; border-radius: 99rem; background: var(--accent-back); color: var(--accent);
  font-size: .85rem; text-align: center;
}
.messages { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; overflow-wrap: anywhere; }
.slides { display: flex; flex-wrap: wrap; gap: .8rem; margin-top: 1.4rem; }
.slides img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: .6rem; }
.people { list-style: none; margin: 0; padding: 0; }
.people li {
  display: flex; align-items: center; gap: .8rem; padding: .65rem 0; border-top: 1px solid var(--line);
}
.people li:first-child { border-top: 0; }
.people form { display: flex; gap: .5rem; }
.people button { min-height: 2.4rem; padding: .2rem .9rem; }
.people:not(:has(li))::before { content: "No one yet."; color: var(--soft); }
.who { flex: 1; min-width: 0; font-weight: 600; overflow-wrap: anywhere; }
.who small { color: var(--soft); font-weight: 500; }
.tag {
  padding: .1rem .6rem; border: 1px solid var(--line); border-radius: 99rem; color: var(--soft); font-size: .8rem;
  white-space: nowrap;
}
.avatar {
  flex: none; display: grid; place-items: center; width: 2.5rem; height: 2.5rem; border-radius: 50%; color: #fff;
  font-size: .85rem; font-weight: 700;
}
.color-0 { background: #4f46e5; } .color-1 { background: #0b7a75; } .color-2 { background: #b4436c; }
.color-3 { background: #9a5b13; } .color-4 { background: #2563a8; } .color-5 { background: #6b4fa0; }
.waiting { border-color: var(--accent); }
.lobby { text-align: center; }
.lobby .note { border: 0; padding: 0; }
.lobby .actions { justify-content: center; }
.pulse { display: grid; place-items: center; height: 6rem; margin-bottom: .6rem; }
.pulse span { position: relative; width: 2.2rem; height: 2.2rem; border-radius: 50%; background: var(--accent); }
.pulse span::before {
  content: ""; position: absolute; inset: 0; border-radius: 50%; background: var(--accent); opacity: .45;
  animation: pulse 2s ease-out infinite;
}
@keyframes pulse { to { transform: scale(2.7); opacity: 0; } }
@media (prefers-reduced-motion: reduce) { .pulse span::before { animation: none; transform: scale(1.7); opacity: .25; } }
@media (max-width: 30rem) {
  .actions form, .actions .button, .actions button { flex: 1 1 100%; width: 100%; }
  .waiting li { flex-wrap: wrap; }
  .waiting li form { width: 100%; }
  .waiting li button { flex: 1; }
}
`;
