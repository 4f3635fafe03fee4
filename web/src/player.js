// The time cursor: which frame is shown, and how it moves.

const SPEEDS = [1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const GOOD_LENGTH = 10; // s of real time that a run should take to play

export class Player {
  constructor(times) {
    this.times = times;
    this.index = 0;
    this.playing = false;
    this.looping = false;
    this.following = false;
    this.speeds = SPEEDS;
    this.speed = this.goodSpeed();
    this.listeners = [];
  }

  goodSpeed() {
    const duration = this.times.length > 1 ? this.times.at(-1) - this.times[0] : 1;
    if (duration >= 2 && duration <= 30) return 1;
    const wanted = duration / GOOD_LENGTH;
    return SPEEDS.reduce((a, b) => (Math.abs(Math.log(b / wanted)) < Math.abs(Math.log(a / wanted)) ? b : a));
  }

  get time() { return this.times[this.index]; }
  get last() { return this.times.length - 1; }
  onChange(listener) { this.listeners.push(listener); }
  tell(what) { for (const listener of this.listeners) listener(what); }

  seek(index) {
    const next = Math.max(0, Math.min(this.last, Math.round(index)));
    this.exact = this.times[next];
    if (next === this.index) return;
    this.index = next;
    this.tell('time');
  }
  seekTime(t) { this.seek(this.indexAt(t)); }

  // The last frame that is not after t.
  indexAt(t) {
    let low = 0, high = this.last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= t) low = middle; else high = middle - 1;
    }
    return low;
  }

  setSpeed(speed) { this.speed = speed; this.tell('speed'); }
  changeSpeed(by) {
    const at = SPEEDS.indexOf(this.speed);
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + by))]);
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }
  play() {
    if (this.times.length < 2) return;
    if (this.index >= this.last) this.seek(0);
    this.exact = this.time;
    this.playing = true;
    this.before = null;
    this.tell('playing');
    const advance = (now) => {
      if (!this.playing) return;
      // A frame that takes long to draw must not make the motion jump by seconds.
      const passed = this.before === null ? 0 : Math.min(0.1, (now - this.before) / 1000);
      this.before = now;
      this.exact += passed * this.speed;
      if (this.exact >= this.times[this.last]) {
        if (this.looping) this.exact = this.times[0];
        else { this.seek(this.last); this.pause(); return; }
      }
      const next = this.indexAt(this.exact);
      if (next !== this.index) { this.index = next; this.tell('time'); }
      requestAnimationFrame(advance);
    };
    requestAnimationFrame(advance);
  }
  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell('playing');
  }

  // The run has gone on.
  extend(times) {
    this.times = times;
    this.tell('length');
    if (this.following) this.seek(this.last);
  }
}
