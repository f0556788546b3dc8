/// The text of the page's scripts and styles without what only their readers need: comments that fill lines, and indentation.
enum PageText {
    /// Every line stays, if only empty, so that what a browser says of a line is true of the file. No text literal of the page spans lines.
    static func compacted(_ text: String) -> String {
        var isInComment = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let bare = line.drop { $0 == " " }
            if isInComment {
                isInComment = !bare.hasSuffix("*/")
                return Substring()
            }
            guard bare.hasPrefix("/*") else { return bare.hasPrefix("//") ? Substring() : bare }
            isInComment = !bare.contains("*/")
            return isInComment || bare.hasSuffix("*/") ? Substring() : bare
        }
        return lines.joined(separator: "\n")
    }
}
