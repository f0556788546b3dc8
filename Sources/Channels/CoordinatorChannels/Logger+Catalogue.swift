import Catalogue
import Logging

extension Logger {
    /// One line for what a catalogue tells of itself.
    func log(_ news: CatalogueNews) {
        switch news {
        case .remade(let reason): warning("the index of the library is made anew", metadata: ["index": "\(reason)"])
        case .compared(let shots, let changed):
            info("the index of the library is current", metadata: ["shots": "\(shots)", "changed": "\(changed)"])
        case .failed(let reason):
            error("the index of the library cannot be kept; the manifests answer", metadata: ["index": "\(reason)"])
        }
    }
}
