import Foundation
import Testing

@testable import WebGateway

@Suite struct PageTextTests {
    @Test func `Comments that fill lines and indentation are left out, and every line stays`() {
        let script = """
            // A script.
            /** Says
             * what it does. */
            export const text = 'a // b'; // kept
                /* A note. */ call();

            /* One line. */
              const rest = `${text}  `;
            """
        let compacted = [
            "", "", "", "export const text = 'a // b'; // kept", "/* A note. */ call();", "", "",
            "const rest=`${text}  `;",
        ]
        #expect(PageText.compacted(script, .script) == compacted.joined(separator: "\n"))
        #expect(PageText.compacted("", .script) == "")
        #expect(PageText.compacted("/* never\nended", .style) == "\n")
    }

    @Test func `Spaces beside punctuation are left out, and those that separate or are of a text stay`() {
        let script = """
            if (a < b && !c) { return [a, b].map((each) => each * 2); }
            const sum = a + +b, text = x ? y : z;
            const kept = { a: 'b  , c' };
            const nested = `a ${b ? `, ${f({ c: 1 })}` : ''} }`, escaped = '\\' }', path = 'a / b';
            const pattern = a / b;
            const unknown = `${a
            """
        #expect(
            PageText.compacted(script, .script) == """
                if(a<b&&!c){return[a,b].map((each)=>each*2)}
                const sum=a+ +b,text=x?y:z;
                const kept={a:'b  , c'};
                const nested=`a ${b?`, ${f({c:1})}`:''} }`,escaped='\\' }',path='a / b';
                const pattern = a / b;
                const unknown = `${a
                """)
        let style = """
            .a > .b, .c :is(h2, p) { margin: calc(1px + 2px) auto; }
            @media (hover: none) and (min-width: 2px) { .d::after { content: ' , '; } }
            """
        #expect(
            PageText.compacted(style, .style) == """
                .a>.b,.c :is(h2,p){margin:calc(1px + 2px) auto}
                @media (hover:none) and (min-width:2px){.d::after{content:' , '}}
                """)
    }

    /// What is left out would otherwise be part of a text.
    @Test func `No text literal of the page spans lines`() throws {
        let folder = URL(filePath: #filePath)
            .appending(path: "../../../../Sources/Interfaces/WebGateway/Page").standardized
        let scripts = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "js" }
        #expect(scripts.count > 50)
        for script in scripts {
            let lines = try String(contentsOf: script, encoding: .utf8).split(separator: "\n")
            #expect(lines.allSatisfy { $0.count { $0 == "`" } % 2 == 0 }, "\(script.lastPathComponent)")
        }
    }
}
