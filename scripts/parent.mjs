/** An npm that was killed passes no signal on: without this the server would go on unseen and keep its port. */
export function stopWithoutParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}
