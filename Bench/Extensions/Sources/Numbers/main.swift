import DirectoryProcess

DirectoryProcess.run(NumbersHandler())
