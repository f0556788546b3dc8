import Yams

/// A configuration file on its way to a value.
enum YAMLDocument {
    /// The most bytes a configuration has.
    static let maximumByteCount = 1 << 20

    /// Reads the file's mapping with `read`.
    /// - Throws: ``ConfigurationError`` with every problem found.
    static func parse<Value>(
        _ text: String, file: String, _ read: (YAMLMapping) -> Value?
    ) throws(ConfigurationError) -> Value {
        let problems = ProblemList()
        let value = root(of: text, problems)?.mapping().flatMap { mapping in
            let value = read(mapping)
            mapping.finish()
            return value
        }
        guard problems.isEmpty, let value else { throw ConfigurationError(file: file, problems: problems.sorted) }
        return value
    }

    private static func root(of text: String, _ problems: ProblemList) -> YAMLValue? {
        guard text.utf8.count <= maximumByteCount else {
            problems.add(.syntax, at: nil, key: "", "has more than \(maximumByteCount) bytes")
            return nil
        }
        guard YAMLAliases.count(in: text) <= YAMLAliases.limit else {
            problems.add(
                .syntax, at: nil, key: "",
                "has more than \(YAMLAliases.limit) words such as '*name', by which YAML refers to anchors; write out what "
                    + "they stand for")
            return nil
        }
        do {
            if let node = try compose(yaml: text, .basic) {
                return YAMLValue(node: node, path: "", problems: problems)
            }
            problems.add(.syntax, at: nil, key: "", "is empty")
        } catch let error as YamlError {
            let (mark, reason) = place(error)
            problems.add(.syntax, at: mark, key: "", reason)
        } catch {
            problems.add(.syntax, at: nil, key: "", "cannot be read: \(error)")
        }
        return nil
    }

    private static func place(_ error: YamlError) -> (Mark?, String) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            (mark, "not YAML: \(problem)\(context.map { " (\($0.text), line \($0.mark.line))" } ?? "")")
        case .duplicatedKeysInMapping(let duplicates, let context):
            (context.mark, "has a key twice: \(duplicates.joined(separator: ", "))")
        case .reader(let problem, _, _, _):
            (nil, "not YAML: \(problem)")
        default:
            (nil, "not YAML: \(error)")
        }
    }
}
