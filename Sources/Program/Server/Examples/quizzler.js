// A quiz that reports to the school: sign-in with OAuth 2 and PKCE, contexts, activities. No library, no build.
"use strict";
const { client, school: given } = document.currentScript.dataset; // the app's bundle id, and the school's server
const redirect = location.origin + "/callback"; // an app on the person's own machine needs to register no other
const query = new URLSearchParams(location.search);
const quiz = ["ten-sums"], length = 10;
const element = (id) => document.getElementById(id);
const now = () => new Date().toISOString();

// Kept in this tab: who is signed in, and what the school has not taken yet.
const keep = (name, value) => sessionStorage.setItem(name, JSON.stringify(value));
const kept = (name) => JSON.parse(sessionStorage.getItem(name));
if (query.has("at")) keep("school", given); // for when the browser comes back
const school = kept("school") ?? given;
let session = kept("session");
let unsent = kept("unsent") ?? {}; // attempts by their ids

function say(text, button, action) {
  element("says").textContent = text;
  element("go").hidden = !button;
  element("go").textContent = button ?? "";
  element("go").onclick = action;
}

// Sign-in. The person signs in at the school, which sends the browser back with a code for this page alone.

const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const random = () => base64(crypto.getRandomValues(new Uint8Array(32)));

async function askToSignIn() {
  const asked = { state: random(), verifier: random() };
  keep("asked", asked);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(asked.verifier));
  location.assign(school + "/oauth/authorize?" + new URLSearchParams({
    response_type: "code", client_id: client, redirect_uri: redirect, scope: "classkit", state: asked.state,
    code_challenge: base64(digest), code_challenge_method: "S256",
  }));
}

async function comeBack(answer) {
  const asked = kept("asked");
  sessionStorage.removeItem("asked");
  history.replaceState(null, "", "/"); // the code works once
  if (!asked || answer.get("state") !== asked.state || answer.get("iss") !== school) {
    return say("This sign-in did not begin here.", "Sign in", askToSignIn);
  }
  if (answer.has("error")) return say("You have not let Quizzler report.", "Sign in", askToSignIn);
  const isSignedIn = await grant({
    grant_type: "authorization_code", code: answer.get("code"), redirect_uri: redirect, code_verifier: asked.verifier,
  }).catch(() => false);
  return isSignedIn ? begin() : say("The school did not let you in.", "Sign in", askToSignIn);
}

// Gets tokens. What waits to be sent is the work of one person, and is sent in nobody else's name.
async function grant(form) {
  const answer = await fetch(school + "/oauth/token", {
    method: "POST", body: new URLSearchParams({ client_id: client, ...form }),
  });
  if (!answer.ok) return false;
  const tokens = await answer.json();
  const before = kept("subject");
  if (before && before !== tokens.subject) keep("unsent", (unsent = {}));
  keep("subject", tokens.subject);
  keep("session", (session = { access: tokens.access_token, refresh: tokens.refresh_token }));
  return true;
}

// A call in the person's name. An access token lasts an hour, so a 401 asks for the next one, once.
async function call(method, path, body, isRepeated = false) {
  const answer = await fetch(school + path, {
    method, body: body && JSON.stringify(body),
    headers: { Authorization: "Bearer " + session.access, "Content-Type": "application/json" },
  });
  if (answer.status !== 401 || isRepeated) return answer;
  const isNew = await grant({ grant_type: "refresh_token", refresh_token: session.refresh });
  return isNew ? call(method, path, body, true) : answer;
}

// Reporting. The same attempt is sent again and again as it goes on: the newest counts, and twice does no harm.

let isSending = false;

async function report(attempt) {
  unsent[attempt.id] = attempt;
  keep("unsent", unsent);
  if (isSending) return;
  isSending = true;
  for (let pause = 1; Object.keys(unsent).length > 0;) {
    const activities = Object.values(unsent);
    const answer = await call("POST", "/v1/activities", { sentAt: now(), activities }).catch(() => null);
    if (answer?.status === 401) {
      say("Your sign-in has ended. What you answered is kept.", "Sign in", askToSignIn);
      break;
    }
    if (answer && answer.status < 500 && answer.status !== 429) { // taken, or refused for good
      for (const sent of activities) {
        if (unsent[sent.id]?.modifiedAt === sent.modifiedAt) delete unsent[sent.id];
      }
      keep("unsent", unsent);
      element("sent").textContent = answer.ok ? "Sent." : "The school did not take this answer.";
      pause = 1;
    } else {
      element("sent").textContent = "The school does not answer. Go on: what you answer is kept, and sent later.";
      const seconds = Math.max(pause, Number(answer?.headers.get("Retry-After")));
      await new Promise((wake) => setTimeout(wake, 1000 * seconds * (1 + Math.random() / 4)));
      pause = Math.min(2 * pause, 900);
    }
  }
  isSending = false;
}

// The quiz.

async function begin() {
  const path = encodeURIComponent(JSON.stringify(quiz));
  const answer = await call("GET", "/v1/me/contexts?path=" + path).catch(() => null);
  if (!answer) return say("The school does not answer.", "Try again", begin);
  if (answer.status === 401) return say("Sign in at your school, and begin.", "Sign in", askToSignIn);
  const found = answer.ok ? (await answer.json()).items : [];
  const context = found.find((item) => JSON.stringify(item.identifierPath) === JSON.stringify(quiz));
  if (!context) return say("Your school does not have this quiz.", "Try again", begin);
  element("title").textContent = context.title;
  element("answered").replaceChildren();
  say("");
  ask({
    id: crypto.randomUUID(), identifierPath: quiz, startedAt: now(), durationSeconds: 0, progressRanges: [],
    additionalItems: [],
  }, 0);
  for (const attempt of Object.values(unsent)) report(attempt); // of before a reload
}

const upTo = (number) => Math.floor(Math.random() * number);

function ask(attempt, score) {
  const number = attempt.additionalItems.length;
  element("progress").value = number;
  element("quiz").hidden = number === length;
  if (number === length) return finish(attempt, score);
  const [one, two] = [2 + upTo(9), 2 + upTo(9)], right = one * two;
  element("sum").textContent = `${one} × ${two}`;
  const choices = new Set([right]);
  while (choices.size < 4) choices.add(Math.max(2, right + upTo(21) - 10));
  element("answers").replaceChildren(...[...choices].sort((a, b) => a - b).map((choice) => {
    const button = document.createElement("button");
    button.textContent = choice;
    button.onclick = () => take(attempt, score, `${one} × ${two}`, choice === right, right);
    return button;
  }));
}

function take(attempt, score, sum, isRight, right) {
  const number = attempt.additionalItems.length + 1, total = score + (isRight ? 1 : 0);
  const next = {
    ...attempt, modifiedAt: now(), durationSeconds: (Date.now() - Date.parse(attempt.startedAt)) / 1000,
    progressRanges: [[0, number / length]],
    primaryItem: { kind: "score", identifier: "score", title: "Score", score: total, maxScore: length },
    additionalItems: [...attempt.additionalItems, {
      kind: "binary", identifier: `sum-${number}`, title: sum, value: isRight, valueType: "correctIncorrect",
    }],
  };
  const line = document.createElement("li");
  line.className = isRight ? "right" : "wrong";
  line.textContent = isRight ? sum : `${sum} is ${right}`;
  element("answered").append(line);
  ask(next, total);
  report(next);
}

async function finish(attempt, score) {
  await call("POST", "/v1/me/completions", { identifierPath: quiz }).catch(() => null);
  say(`You have ${score} of ${length} right.`, "Once more", begin);
}

if (location.pathname === "/callback") comeBack(query);
else if (session) begin();
else if (query.has("at")) askToSignIn();
else say("Sign in at your school, and begin.", "Sign in", askToSignIn);
