// Prints who is in each class: node class_lists.js URL CLIENT_ID CLIENT_SECRET
import { ClientCredentials, Homeroom, Problem } from "homeroom-client";
declare const process: { argv: string[]; exitCode?: number }; // Not needed beside @types/node.

const [url = "", clientId = "", clientSecret = ""] = process.argv.slice(2);
const school = new Homeroom(url, new ClientCredentials(clientId, clientSecret));
try {
    for await (const group of school.iterateClasses({
        order: "name", expand: "teachers,students", fields: "name,expanded", limit: 50,
    })) {
        const { teachers = [], students = [] } = group.expanded ?? {};
        console.log(`${group.name} (${teachers.map((person) => person.familyName).join(", ")})`);
        for (const person of students) console.log(`  ${person.givenName} ${person.familyName}`);
    }
} catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(`${error.detail} Quote ${error.instance} when you ask for help.`);
    process.exitCode = 1;
}
