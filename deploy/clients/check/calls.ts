// The calls of trouble.py in TypeScript.
import { ClientCredentials, Homeroom, NotModified, Problem } from "homeroom-client";
declare const process: { argv: string[] };

const school = new Homeroom(process.argv[2] ?? "", new ClientCredentials("id", "secret"));
console.log("signed in as", (await school.getMe()).person?.givenName);
console.log("made", (await school.postHandouts({ classId: "c", title: "Cells" })).id);
const names: string[] = [];
for await (const person of school.iteratePeople({ role: "student", limit: 2 })) names.push(person.givenName);
console.log("people", ...names);
try {
    await school.getTermsById("t1", {}, { ifNoneMatch: '"7"' });
} catch (error) {
    if (error instanceof NotModified) console.log("not modified");
}
async function show(call: Promise<unknown>): Promise<void> {
    try {
        await call;
    } catch (error) {
        console.log(...(error instanceof Problem ? [error.status, error.code] : ["lost"]));
    }
}
await show(school.getTermsById("t2"));
await show(school.patchPeopleById("source:sis/1", { grade: "8" }, { ifMatch: '"7"' }));
await show(school.patchPeopleById("source:sis/1", { grade: "8" }));
