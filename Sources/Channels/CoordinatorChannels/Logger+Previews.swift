import Logging
import Previews

extension Logger {
    /// One line for what making small pictures tells of itself.
    func log(_ news: PreviewNews) {
        switch news {
        case .made(let key): trace("small pictures are made", metadata: ["file": "\(key)"])
        case .unreadable(let key, let reason):
            warning("no small pictures can be made of a file", metadata: ["file": "\(key)", "reason": "\(reason)"])
        case .unread(let key, let problem):
            warning(
                "a file cannot be read for its small pictures", metadata: ["file": "\(key)", "reason": "\(problem)"])
        case .failed(let reason):
            warning("small pictures cannot be kept; trying again later", metadata: ["reason": "\(reason)"])
        }
    }
}
